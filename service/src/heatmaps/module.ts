import { ON } from '../flags/remoteSetting.ts'
import type { Module } from '../module.ts'
import { createHeatmaps } from './heatmaps.ts'
import { HEATMAP_ROUTES, type HeatmapParts } from './routes.ts'
import { HEATMAP_SCHEMA } from './schema.ts'
import { createHeatmapSink, HEATMAP_REJECTIONS } from './sink.ts'
import { createKeepPoints, type KeepPoints } from './store.ts'

const EVENTS = 'trailmark_heatmap_events_total'

/** Heatmaps of pages. */
export const HEATMAPS: Module<HeatmapParts & { readonly keepPoints: KeepPoints; readonly onEvent: () => void }> = {
  create: ({ gate, queryRows, metadata, metrics }) => ({
    heatmaps: createHeatmaps({ queryRows, projects: metadata.projects }),
    keepPoints: createKeepPoints(gate.ingest),
    onEvent: metrics.counter(EVENTS),
  }),
  routes: HEATMAP_ROUTES,
  schema: HEATMAP_SCHEMA,
  metrics: {
    [EVENTS]: {
      type: 'counter',
      labels: [],
      help: 'Heatmap events stored, including duplicates. Their points are in a separate table.',
    },
  },
  ingestSink: ({ keepPoints, onEvent }) => createHeatmapSink(keepPoints, onEvent),
  rejections: HEATMAP_REJECTIONS,
  remoteSettings: { heatmaps: { schema: ON, byDefault: false } },
}
