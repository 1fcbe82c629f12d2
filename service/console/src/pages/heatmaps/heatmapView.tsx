import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'
import { SimpleTable } from '../../ui/simpleTable.tsx'
import { drawHeat } from './drawHeat.ts'
import { heightOf, type HeatmapMap } from './heatmap.ts'
import styles from './heatmaps.module.css'

const MAX_ROWS = 200

/** A map, drawn over a page or listed as a table. `background`: the page below the heat. `hint`: a line above the map. */
export const HeatmapView = ({
  map,
  label,
  background,
  hint,
}: {
  readonly map: HeatmapMap
  /** What the points are, such as `Clicks`. */
  readonly label: string
  readonly background?: ComponentChildren
  readonly hint?: ComponentChildren
}) => {
  const [isTable, setTable] = useState(false)
  const { points, has_more: hasMore } = map
  return (
    <figure class="stack">
      <div class="row between">
        <figcaption>
          <strong class="number">{formatWhole(points)}</strong> {label.toLowerCase()}
          {hasMore && <span class="muted">, of which the areas with the most are shown</span>}
        </figcaption>
        <button type="button" class="button plain" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as map' : 'Show as table'}
        </button>
      </div>
      {hint && !isTable && <p class="small muted">{hint}</p>}
      {isTable ? <Areas map={map} label={label} /> : <Map map={map} label={label} background={background} />}
    </figure>
  )
}

const Map = ({
  map,
  label,
  background,
}: {
  readonly map: HeatmapMap
  readonly label: string
  readonly background: ComponentChildren
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const height = heightOf(map)
  useEffect(() => {
    if (canvas.current) drawHeat(canvas.current, map, height)
  }, [map, height])
  const [top] = map.cells
  const about = top
    ? `${label} on a page of ${map.width} by ${height} pixels. Most are ${placeOf(map, top)}. The table has all areas.`
    : `No ${label.toLowerCase()}.`
  return (
    <div class={styles.scroller} tabIndex={0} role="group" aria-label={`Map of ${label.toLowerCase()}`}>
      <div class={styles.page} style={{ width: `${map.width}px`, aspectRatio: `${map.width} / ${height}` }}>
        {background}
        <canvas ref={canvas} role="img" aria-label={about} />
      </div>
    </div>
  )
}

const placeOf = ({ cell }: HeatmapMap, { x, y, fixed }: HeatmapMap['cells'][number]): string =>
  `${x * cell} px from the left and ${y * cell} px from the top${fixed ? ' of the window' : ''}`

const Areas = ({ map, label }: { readonly map: HeatmapMap; readonly label: string }) => (
  <SimpleTable
    caption={`Areas with the most ${label.toLowerCase()}`}
    head={['From the left, px', 'From the top, px', 'Position', label, 'People']}
    rows={map.cells
      .slice(0, MAX_ROWS)
      .map(({ x, y, fixed, count, people }) => [
        x * map.cell,
        y * map.cell,
        fixed ? 'in the window' : 'on the page',
        count,
        people,
      ])}
  />
)
