import type { ComponentChildren } from 'preact'
import { formatWhole } from '../lib/format.ts'
import type { Pages } from '../lib/usePages.ts'
import { Failed, Progress, Skeleton } from './states.tsx'
import { Part } from './boundary.tsx'

/** A noun of list items, such as `['event', 'events']`. */
export type Noun = readonly [one: string, many: string]

/** The end of a list: the number of its items, and a button for the next page. */
export const ListEnd = ({
  pages: { hasMore, isLoading, more },
  count,
  noun: [one, many],
}: {
  readonly pages: Pick<Pages<unknown>, 'hasMore' | 'isLoading' | 'more'>
  readonly count: number
  readonly noun: Noun
}) => (
  <div class="row">
    {hasMore && (
      <button type="button" class="button" disabled={isLoading} onClick={more}>
        {isLoading ? 'Loading …' : 'Load more'}
      </button>
    )}
    <span class="muted small" role="status">
      {formatWhole(count)} {count === 1 ? one : many}
      {hasMore ? ' so far' : ''}
    </span>
  </div>
)

/** Shows a list that is loaded page by page in its states: loading, failed, empty, and with a button for the next page. */
export const PagedList = <Item,>({
  pages,
  noun,
  empty,
  children,
}: {
  readonly pages: Pages<Item>
  readonly noun: Noun
  /** Shown if there are no items. */
  readonly empty: ComponentChildren
  readonly children: (items: readonly Item[]) => ComponentChildren
}) => {
  const { items, error, hasMore, isLoading, more } = pages
  return (
    <>
      <Progress isActive={isLoading} />
      {error && <Failed error={error} onRetry={more} />}
      {!items && !error && <Skeleton lines={12} />}
      {items?.length === 0 && !isLoading && empty}
      {items && items.length > 0 && (
        <div class={isLoading && !hasMore ? 'stack is-reloading' : 'stack'} aria-busy={isLoading}>
          <Part>{() => children(items)}</Part>
          <ListEnd pages={pages} count={items.length} noun={noun} />
        </div>
      )}
    </>
  )
}
