import type { IngestSink, Rejections } from '../ingest/sink.ts'
import type { JsonLine } from '../storage/storage.ts'
import { readPoints } from './points.ts'
import { type KeepPoints, toHeatmapLines } from './store.ts'

/** Points of a delivery that wait until it has been read, as characters of JSON. More are stored at once. */
const MAX_POINTS_LENGTH = 1_000_000

export const HEATMAP_REJECTIONS: Rejections = {
  invalid_heatmap: {
    message:
      '"$heatmap_data" of a $$heatmap event must be an object of lists of points by URL, each point with numbers "x" and "y" and a known "type".',
    remedy: 'Send only what an SDK captured. Use capture() with another name for events of your own.',
  },
}

/** Creates the sink of `$$heatmap` events. Only their points are stored. `onEvent`: called with each of them. */
export const createHeatmapSink = (keepPoints: KeepPoints, onEvent: () => void): IngestSink => ({
  events: ['$$heatmap'],
  open() {
    const points: JsonLine[] = []
    let length = 0
    return {
      read({ properties }) {
        const rows = readPoints(properties)
        if (!rows) return 'invalid_heatmap'
        return {
          isDiverted: true,
          take(projectId, event) {
            onEvent()
            for (const line of toHeatmapLines(projectId, event, rows)) {
              points.push(line)
              length += line.length
            }
            if (length <= MAX_POINTS_LENGTH) return undefined
            length = 0
            return keepPoints(points.splice(0))
          },
        }
      },
      flush: () => keepPoints(points),
    }
  },
})
