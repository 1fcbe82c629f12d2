import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { formatAgo, formatDateTime } from '../../lib/format.ts'
import { useVisible } from '../../lib/useVisible.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { Failed, Progress, Skeleton } from '../../ui/states.tsx'
import type { Tile } from '../../api/dashboards.ts'
import styles from './dashboards.module.css'
import { LateCancel } from './lateCancel.tsx'
import { TileContent } from '../../insights/tileContent.tsx'
import type { TileRequest } from './tileRequest.ts'
import { type TileResult, useTileResult } from './useTileResult.ts'
import { Part } from '../../ui/boundary.tsx'

/** Title, result and age of a tile. It loads when it was just added or is near the visible part of the page. */
export const TileView = ({
  tile,
  request,
  problem,
  order,
  now,
  isMoving,
  isAdded,
  tools,
}: {
  readonly tile: Tile
  /** Absent while the endpoint of the tile is not known. */
  readonly request: TileRequest | undefined
  /** Reason why the tile cannot run. */
  readonly problem: string | undefined
  /** Place in the reading order, for narrow screens. */
  readonly order: number
  readonly now: number
  readonly isMoving: boolean
  /** Whether the tile was just added, and must come into view. */
  readonly isAdded: boolean
  readonly tools: ComponentChildren
}) => {
  const root = useRef<HTMLElement>(null)
  const isVisible = useVisible(root)
  useEffect(() => {
    if (isAdded) root.current?.scrollIntoView({ block: 'center' })
  }, [isAdded])
  const tileResult = useTileResult(isVisible || isAdded ? request : undefined)
  const { shown, loaded } = tileResult
  const place = { '--x': tile.x + 1, '--y': tile.y + 1, '--w': tile.w, '--h': tile.h, '--order': order }
  const title = tile.title || tile.endpoint || 'Untitled'
  const range =
    request && 'query' in request ? (request.query.dateRange as { date_to?: string } | undefined) : undefined
  return (
    <section
      ref={root}
      class={isMoving ? `${styles.tile} ${styles.moving}` : styles.tile}
      style={place}
      aria-label={title}
    >
      {tools}
      <div class={styles.head}>
        <h2 class="clip" title={title}>
          {title}
        </h2>
        {shown && <Age refreshedAt={shown.result.last_refresh} now={now} />}
        <button
          type="button"
          class="button plain icon"
          aria-label={`Refresh ${title}`}
          disabled={loaded.isLoading}
          onClick={tileResult.run}
        >
          <Icon name="refresh" size={16} />
        </button>
      </div>
      <Waiting tileResult={tileResult} />
      <div class={styles.body} aria-busy={loaded.isLoading}>
        {problem && <p class="notice warning">{problem}</p>}
        {loaded.error && <Failed error={loaded.error} onRetry={() => loaded.reload()} />}
        {shown ? (
          <div class={styles.shown}>
            <Part>
              {() => (
                <TileContent
                  title={title}
                  display={tile.display}
                  kind={shown.kind}
                  result={shown.result}
                  isRunning={!range?.date_to}
                />
              )}
            </Part>
          </div>
        ) : (
          !loaded.error && !problem && !tileResult.isCanceled && <Skeleton lines={Math.max(1, tile.h)} />
        )}
      </div>
    </section>
  )
}

const Age = ({ refreshedAt, now }: { readonly refreshedAt: string; readonly now: number }) => {
  const { timezone } = useProject()
  return (
    <span class="small muted" title={`Computed ${formatDateTime(refreshedAt, timezone)}`}>
      {/* The clock of this browser can be behind the service's. */}
      {formatAgo(Math.min(Date.parse(refreshedAt), now), now)}
    </span>
  )
}

const Waiting = ({ tileResult: { loaded, share, isCanceled, cancel, run } }: { readonly tileResult: TileResult }) => {
  if (isCanceled)
    return (
      <div class="row small">
        <span class="muted">Canceled.</span>
        <button type="button" class="button" onClick={run}>
          Run it
        </button>
      </div>
    )
  if (!loaded.isLoading) return null
  return (
    <div class="row" style={{ flexWrap: 'nowrap', minHeight: '3px' }}>
      <Progress isActive {...(share === undefined ? {} : { share })} />
      <LateCancel onCancel={cancel} />
    </div>
  )
}
