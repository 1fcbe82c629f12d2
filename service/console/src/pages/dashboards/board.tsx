import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Tile } from '../../api/dashboards.ts'
import styles from './dashboards.module.css'
import { inReadingOrder } from './layout.ts'
import { TileView } from './tile.tsx'
import { type Shared, type TileEndpoint, toRequest } from './tileRequest.ts'
import { TileTools } from './tileTools.tsx'

const NOW_EVERY_MS = 10_000

const useNow = (): number => {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), NOW_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

const problemOf = (tile: Tile, endpoints: ReadonlyMap<string, TileEndpoint> | undefined): string | undefined =>
  endpoints && tile.endpoint !== undefined && !endpoints.has(tile.endpoint)
    ? `There is no active endpoint “${tile.endpoint}”. Choose another one, or remove the tile.`
    : undefined

/** The grid of tiles. Below a width of 52 rem, it has one column. */
export const Board = ({
  tiles,
  endpoints,
  shared,
  isEditing,
  added,
  onChange,
  onEdit,
}: {
  readonly tiles: readonly Tile[]
  /** Endpoints by name. Absent while they load. */
  readonly endpoints: ReadonlyMap<string, TileEndpoint> | undefined
  readonly shared: Shared
  readonly isEditing: boolean
  /** Id of the tile that was added last. It is scrolled into view. */
  readonly added: string | undefined
  readonly onChange: (tiles: readonly Tile[]) => void
  readonly onEdit: (tile: Tile) => void
}) => {
  const now = useNow()
  const [preview, setPreview] = useState<{ readonly tiles: readonly Tile[]; readonly id: string | undefined }>()
  const shown = preview?.tiles ?? tiles
  const reading = inReadingOrder(shown).map(({ id }) => id)
  const ids = tiles.map(({ id }) => id)
  // While tiles are edited, their elements stay in order: moving them would lose the focus and the pointer.
  const order = useMemo(
    () => inReadingOrder(tiles).map(({ id }) => id),
    [isEditing ? [...ids].sort().join() : tiles, isEditing],
  )
  return (
    <div class={isEditing ? `${styles.board} ${styles.editing}` : styles.board}>
      {order.map((id) => {
        const tile = shown.find((each) => each.id === id)
        if (!tile) return null
        return (
          <TileView
            key={id}
            tile={tile}
            order={reading.indexOf(id)}
            request={toRequest(tile, shared, tile.endpoint === undefined ? undefined : endpoints?.get(tile.endpoint))}
            problem={problemOf(tile, endpoints)}
            now={now}
            isMoving={preview?.id === id}
            isAdded={added === id}
            tools={
              isEditing && (
                <TileTools
                  tile={tile}
                  tiles={tiles}
                  onChange={onChange}
                  onPreview={(next, moved) => setPreview(next && { tiles: next, id: moved })}
                  onEdit={() => onEdit(tile)}
                />
              )
            }
          />
        )
      })}
    </div>
  )
}
