import { useRef } from 'preact/hooks'
import { Icon } from '../../ui/icon.tsx'
import type { Tile } from '../../api/dashboards.ts'
import styles from './dashboards.module.css'
import { moveTile, passNeighbors, resizeTile } from './layout.ts'

type Tiles = readonly Tile[]

interface ToolsProps {
  readonly tile: Tile
  readonly tiles: Tiles
  readonly onChange: (tiles: Tiles) => void
  /** Shows a layout while the pointer moves. `undefined`: the saved one again. */
  readonly onPreview: (tiles: Tiles | undefined, id?: string) => void
  readonly onEdit: () => void
}

interface Step {
  readonly label: string
  readonly sign: string
  readonly apply: (tiles: Tiles, id: string) => Tiles
}

/** The moves and size changes that buttons make. Dragging makes the same. */
const STEPS: readonly Step[] = [
  { label: 'Move left', sign: '←', apply: (tiles, id) => moveTile(tiles, id, { columns: -1 }) },
  { label: 'Move right', sign: '→', apply: (tiles, id) => moveTile(tiles, id, { columns: 1 }) },
  { label: 'Move up', sign: '↑', apply: (tiles, id) => passNeighbors(tiles, id, -1) },
  { label: 'Move down', sign: '↓', apply: (tiles, id) => passNeighbors(tiles, id, 1) },
  { label: 'Narrower', sign: '⇤', apply: (tiles, id) => resizeTile(tiles, id, { columns: -1 }) },
  { label: 'Wider', sign: '⇥', apply: (tiles, id) => resizeTile(tiles, id, { columns: 1 }) },
  { label: 'Shorter', sign: '⤒', apply: (tiles, id) => resizeTile(tiles, id, { rows: -1 }) },
  { label: 'Taller', sign: '⤓', apply: (tiles, id) => resizeTile(tiles, id, { rows: 1 }) },
]

/** Moves, resizes, changes and removes a tile, by buttons and by the pointer. */
export const TileTools = ({ tile, tiles, onChange, onPreview, onEdit }: ToolsProps) => {
  const name = tile.title || tile.endpoint
  return (
    <div class={styles.tools} role="toolbar" aria-label={`Layout of ${name}`}>
      <DragHandle tile={tile} tiles={tiles} onChange={onChange} onPreview={onPreview} apply={moveTile} sign="✥" />
      <DragHandle
        tile={tile}
        tiles={tiles}
        onChange={onChange}
        onPreview={onPreview}
        apply={resizeTile}
        sign="⤡"
        isSize
      />
      {STEPS.map(({ label, sign, apply }) => (
        <button
          key={label}
          type="button"
          class="button"
          aria-label={`${label}: ${name}`}
          title={label}
          onClick={() => onChange(apply(tiles, tile.id))}
        >
          <span aria-hidden="true">{sign}</span>
        </button>
      ))}
      <button type="button" class="button" aria-label={`Change ${name}`} onClick={onEdit}>
        Change
      </button>
      <button
        type="button"
        class="button"
        aria-label={`Remove ${name}`}
        title="Remove"
        onClick={() => onChange(tiles.filter(({ id }) => id !== tile.id))}
      >
        <Icon name="trash" size={16} />
      </button>
    </div>
  )
}

interface Drag {
  readonly startX: number
  readonly startY: number
  readonly cellWidth: number
  readonly cellHeight: number
  tiles: Tiles | undefined
}

/** A handle to drag a tile with the pointer. Not focusable: the buttons do the same from the keyboard. */
const DragHandle = ({
  tile,
  tiles,
  onChange,
  onPreview,
  apply,
  sign,
  isSize = false,
}: Pick<ToolsProps, 'tile' | 'tiles' | 'onChange' | 'onPreview'> & {
  readonly apply: typeof moveTile<Tile>
  readonly sign: string
  readonly isSize?: boolean
}) => {
  const drag = useRef<Drag>(undefined)
  const start = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement
    const board = handle.closest<HTMLElement>(`.${styles.board}`)
    if (!board) return
    event.preventDefault()
    handle.setPointerCapture(event.pointerId)
    const { gridAutoRows, rowGap, columnGap } = getComputedStyle(board)
    drag.current = {
      startX: event.clientX,
      startY: event.clientY,
      cellWidth: (board.clientWidth + parseFloat(columnGap)) / 12,
      cellHeight: parseFloat(gridAutoRows) + parseFloat(rowGap),
      tiles: undefined,
    }
  }
  const move = (event: PointerEvent) => {
    const current = drag.current
    if (!current) return
    const columns = Math.round((event.clientX - current.startX) / current.cellWidth)
    const rows = Math.round((event.clientY - current.startY) / current.cellHeight) || 0
    current.tiles = apply(tiles, tile.id, { columns, rows })
    onPreview(current.tiles, tile.id)
  }
  const end = (isKept: boolean) => {
    const moved = drag.current?.tiles
    drag.current = undefined
    onPreview(undefined)
    if (isKept && moved) onChange(moved)
  }
  return (
    <span
      class={`button ${styles.handle} ${isSize ? styles.size : ''}`}
      aria-hidden="true"
      title={isSize ? 'Drag to resize' : 'Drag to move'}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    >
      {sign}
    </span>
  )
}
