/** Position and size of a tile, in columns and rows of the grid, from 0. */
export interface Box {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Number of columns of a dashboard's grid. */
export const COLUMNS = 12
export const MIN_WIDTH = 2
export const MAX_HEIGHT = 20

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

const isOver = (a: Box, b: Box) =>
  a.id !== b.id && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** Tiles in the order in which they are read: by row, then by column. */
export const inReadingOrder = <Tile extends Box>(tiles: readonly Tile[]): readonly Tile[] =>
  [...tiles].sort((a, b) => a.y - b.y || a.x - b.x)

/** Returns tiles without overlaps and without empty rows above them. The tile `first` keeps its place before the others. */
export const settle = <Tile extends Box>(tiles: readonly Tile[], first?: string): readonly Tile[] => {
  const placed: Tile[] = []
  const order = [...tiles].sort((a, b) => a.y - b.y || Number(b.id === first) - Number(a.id === first) || a.x - b.x)
  for (const tile of order) {
    let { y } = tile
    const collides = (at: number) => placed.some((other) => isOver({ ...tile, y: at }, other))
    while (collides(y)) y++
    while (y > 0 && !collides(y - 1)) y--
    placed.push(y === tile.y ? tile : { ...tile, y })
  }
  return tiles.map(({ id }) => placed.find((each) => each.id === id)!)
}

const change = <Tile extends Box>(
  tiles: readonly Tile[],
  id: string,
  place: (tile: Tile) => Partial<Box>,
): readonly Tile[] =>
  settle(
    tiles.map((tile) => (tile.id === id ? { ...tile, ...place(tile) } : tile)),
    id,
  )

/** Moves a tile by columns and rows. The others make room. */
export const moveTile = <Tile extends Box>(
  tiles: readonly Tile[],
  id: string,
  { columns = 0, rows = 0 }: { readonly columns?: number; readonly rows?: number },
): readonly Tile[] =>
  change(tiles, id, ({ x, y, w }) => ({ x: clamp(x + columns, 0, COLUMNS - w), y: Math.max(0, y + rows) }))

/** Changes the size of a tile by columns and rows. */
export const resizeTile = <Tile extends Box>(
  tiles: readonly Tile[],
  id: string,
  { columns = 0, rows = 0 }: { readonly columns?: number; readonly rows?: number },
): readonly Tile[] =>
  change(tiles, id, ({ x, w, h }) => ({
    w: clamp(w + columns, Math.min(MIN_WIDTH, COLUMNS - x), COLUMNS - x),
    h: clamp(h + rows, 1, MAX_HEIGHT),
  }))

/** Moves a tile past its neighbors above (-1) or below (1). Steps of one row would rarely change anything. */
export const passNeighbors = <Tile extends Box>(
  tiles: readonly Tile[],
  id: string,
  direction: -1 | 1,
): readonly Tile[] => {
  const tile = tiles.find((each) => each.id === id)
  if (!tile) return tiles
  const isBeside = (other: Tile) => other.id !== id && other.x < tile.x + tile.w && tile.x < other.x + other.w
  const ahead = tiles.filter((other) => isBeside(other) && (other.y - tile.y) * direction > 0)
  const nearest = direction === 1 ? Math.min(...ahead.map(({ y }) => y)) : Math.max(...ahead.map(({ y }) => y))
  const passed = ahead.filter(({ y }) => y === nearest)
  if (!passed.length) return tiles
  const rows = direction === 1 ? Math.max(...passed.map(({ h }) => h)) : tile.h
  const upper = Math.min(tile.y, nearest)
  const place = (other: Tile): Tile => {
    if (other.id === id) return { ...other, y: direction === 1 ? upper + rows : upper }
    if (!passed.includes(other)) return other
    return { ...other, y: direction === 1 ? upper : upper + rows }
  }
  return settle(tiles.map(place), direction === 1 ? passed[0]!.id : id)
}
