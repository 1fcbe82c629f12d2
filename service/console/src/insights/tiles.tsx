import type { ComponentType } from 'preact'
import type { Display } from '../api/dashboards.ts'
import { FunnelChart } from './funnel/funnelChart.tsx'
import { RetentionGrid } from './retention/retentionGrid.tsx'

interface TileProps {
  readonly caption: string
  /** Results of a query of the kind. */
  readonly results: readonly unknown[]
}

// The date is local to the project, with its offset.
const formatCohort = (date: string) => date.slice(0, 10)

const RetentionTile = ({ caption, results }: TileProps) => (
  <RetentionGrid caption={caption} unit="Interval" results={results} formatCohort={formatCohort} />
)

/**
 * Tile displays that only one kind of insight has. Separate from the kinds, because tests read those without
 * components.
 */
const TILES: readonly { readonly kind: string; readonly display: Display; readonly Tile: ComponentType<TileProps> }[] =
  [
    { kind: 'FunnelsQuery', display: 'funnel', Tile: FunnelChart },
    { kind: 'RetentionQuery', display: 'retention', Tile: RetentionTile },
  ]

/** Returns the component that draws a kind in a display of its own. Returns undefined for displays that all kinds share. */
export const tileOf = (kind: string, display: Display): ComponentType<TileProps> | undefined =>
  TILES.find((each) => each.kind === kind && each.display === display)?.Tile
