import { useEffect, useRef, useState } from 'preact/hooks'
import { Failure, isAborted } from '../api/failure.ts'
import { toTileData } from '../insights/kinds.ts'
import { TileContent } from '../insights/tileContent.tsx'
import { downloadCsv } from '../lib/csv.ts'
import { formatDateTime } from '../lib/format.ts'
import { Part } from '../ui/boundary.tsx'
import { Failed, Skeleton } from '../ui/states.tsx'
import { downloadPicture } from './picture.ts'
import { type Asked, isOver, type SharedTile, type ShowTile, type TileAnswer } from './reader.ts'
import styles from './shared.module.css'

interface State {
  readonly answer?: TileAnswer
  readonly error?: Failure
  readonly isLoading: boolean
}

const toFailureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('This tile cannot be shown.', 'unknown', 0)

/** Loads a tile, again with each round. What was shown goes when the share is over. */
const useAnswer = (asked: Asked, { show, round, onOver }: TileSource): State => {
  const [state, setState] = useState<State>({ isLoading: true })
  const key = JSON.stringify(asked)
  useEffect(() => {
    const controller = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    show(asked, controller.signal).then(
      (answer) => !controller.signal.aborted && setState({ answer, isLoading: false }),
      (error: unknown) => {
        if (controller.signal.aborted || isAborted(error)) return
        const failure = toFailureOf(error)
        if (isOver(failure)) onOver(failure)
        setState((before) => (isOver(failure) ? { isLoading: false } : { ...before, error: failure, isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [key, round, show])
  return state
}

export interface TileSource {
  readonly show: ShowTile
  /** Increases when tiles must load again. */
  readonly round: number
  /** Called when the share is over. */
  readonly onOver: (failure: Failure) => void
}

/** A tile of a share: its result, and downloads of it. */
export const SharedTileView = ({
  tile,
  asked,
  source,
}: {
  readonly tile: SharedTile
  readonly asked: Asked
  readonly source: TileSource
}) => {
  const body = useRef<HTMLDivElement>(null)
  const { answer, error, isLoading } = useAnswer(asked, source)
  const title = tile.title || 'Untitled'
  const data = answer && toTileData(answer.kind, answer as never)
  const place = { '--x': tile.x + 1, '--y': tile.y + 1, '--w': tile.w, '--h': tile.h }
  return (
    <section class={styles.tile} style={place} aria-label={title}>
      <div class={styles.head}>
        <h2 class="clip" title={title}>
          {title}
        </h2>
        {data && (
          <>
            <button
              type="button"
              class="button plain"
              aria-label={`Download ${title} as CSV`}
              onClick={() => downloadCsv(title, data.table.head, data.table.rows)}
            >
              CSV
            </button>
            <button
              type="button"
              class="button plain"
              aria-label={`Download ${title} as PNG`}
              onClick={() => downloadPicture(body.current!, title, data.table)}
            >
              PNG
            </button>
          </>
        )}
      </div>
      <div ref={body} class={styles.body} aria-busy={isLoading}>
        {error && <Failed error={error} />}
        {answer ? (
          <Part>
            {() => (
              <TileContent
                title={title}
                display={tile.display}
                kind={answer.kind}
                result={answer as never}
                isRunning={false}
              />
            )}
          </Part>
        ) : (
          !error && <Skeleton lines={Math.max(1, tile.h)} />
        )}
      </div>
      {answer && (
        <p class="small muted">
          {answer.hasMore && 'There are more rows. '}
          As of {formatDateTime(answer.last_refresh, answer.timezone)}
        </p>
      )}
    </section>
  )
}
