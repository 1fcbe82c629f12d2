import { randomInt } from 'node:crypto'
import { infix, name, type Sql } from '../../sql/catalog/physical.ts'
import { any, LAYER, number, type Stored, STORED } from './words.ts'

/**
 * Rows of a table that were stored together. A table is extended by a layer of the events that arrived since the last one, and
 * its state lists the layers that runs read. So a table and its watermark change at the same moment.
 */
export interface Layer {
  readonly id: number
  readonly rows: number
  /** Number of events that the rows were computed from. */
  readonly events: number
}

// A run reads at least one part of the engine's storage for each layer.
const MAX_LAYERS = 8
const TIMES_SMALLER = 2

/** Returns an id that no other layer of the same table has. */
export const newLayer = (): number => randomInt(1, 2 ** 31)

export const isOfLayers = ({ layers }: Pick<Stored, 'layers'>): Sql =>
  any(layers.map(({ id }) => infix(name(STORED, LAYER), '=', number(id))))

const rowsOf = (layers: readonly Layer[]): number => layers.reduce((sum, { rows }) => sum + rows, 0)

/**
 * Returns the newest layers, which the next one replaces, if there are many. A layer is replaced when the later ones have half as
 * many rows. So a row is copied only a few times, however often a table is extended.
 */
export const outgrown = (layers: readonly Layer[]): readonly Layer[] => {
  if (layers.length < MAX_LAYERS) return []
  const first = layers.findIndex(({ rows }, at) => rows <= TIMES_SMALLER * rowsOf(layers.slice(at + 1)))
  return layers.slice(first === -1 ? -TIMES_SMALLER : first)
}
