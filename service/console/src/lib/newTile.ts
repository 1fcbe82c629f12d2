import type { Tile, TileChoice } from '../api/dashboards.ts'
import { randomId } from './id.ts'

const SIZE = { w: 6, h: 4 }

/** Returns a tile below all others of a dashboard. */
export const newTile = (tiles: readonly Tile[], choice: TileChoice): Tile => ({
  id: randomId(),
  x: 0,
  y: Math.max(0, ...tiles.map(({ y, h }) => y + h)),
  ...SIZE,
  ...choice,
})
