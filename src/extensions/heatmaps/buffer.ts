import type { Point } from './point'

const MAX_POINTS = 1000
const MAX_BYTES = 64_000

interface Entry {
  url: string
  point: Point
  bytes: number
}

/** Creates a buffer of points that are not sent yet, of bounded number and size. Mouse moves are dropped first. */
export const createBuffer = () => {
  let entries: Entry[] = []
  let bytes = 0
  let dropped = 0
  const remove = (at: number) => {
    bytes -= entries[at]!.bytes
    entries.splice(at, 1)
    dropped += 1
  }
  return {
    add: (url: string, point: Point): void => {
      const entry = { url, point, bytes: JSON.stringify(point).length + 1 }
      entries.push(entry)
      bytes += entry.bytes
      while (entries.length > MAX_POINTS || bytes > MAX_BYTES) {
        const move = entries.findIndex((each) => each.point.type === 'mousemove')
        // The newest is dropped if there are no moves: the first clicks on a page say more than the thousandth.
        remove(move < 0 ? entries.length - 1 : move)
      }
    },
    isEmpty: (): boolean => !entries.length,
    /** Returns all points by URL and how many were dropped, and forgets them. */
    take: (): { points: Record<string, Point[]>; dropped: number } => {
      const points: Record<string, Point[]> = {}
      for (const { url, point } of entries) (points[url] ??= []).push(point)
      const taken = { points, dropped }
      entries = []
      bytes = dropped = 0
      return taken
    },
  }
}
