import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatShare } from '../../lib/format.ts'
import { type Period, toDateRange } from '../../lib/period.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { SimpleTable } from '../../ui/simpleTable.tsx'
import { Load, Progress, Skeleton } from '../../ui/states.tsx'
import { heightOf, type HeatmapType, TYPES, VIEWPORTS } from './heatmap.ts'
import { HeatmapView } from './heatmapView.tsx'
import styles from './heatmaps.module.css'
import { PageBackground } from './pageBackground.tsx'
import { findPageSnapshot } from './pageSnapshot.ts'
import { ScrollDepth } from './scrollDepth.tsx'

/** The heatmap of one page. Kind of points, width of the window and fold are in the URL. */
export const PageHeatmap = ({ url, period }: { readonly url: string; readonly period: Period }) => {
  const { id } = useProject()
  const link = useLink()
  const type = TYPES.find(({ value }) => value === search.value.get('type')) ?? TYPES[0]
  const viewport = VIEWPORTS.find(({ value }) => value === search.value.get('viewport')) ?? VIEWPORTS[0]!
  const isAboveFold = search.value.get('fold') === 'above'
  const { min, max, width } = viewport
  const filter = {
    // A URL with a star is a pattern.
    ...(url.includes('*') ? { url_pattern: url } : { url }),
    ...(min === undefined ? {} : { viewport_min: min }),
    ...(max === undefined ? {} : { viewport_max: max }),
    ...toDateRange(period),
  }
  const mapQuery = { ...filter, type: type.value, width, ...(isAboveFold ? { above_fold: true } : {}) }
  const params = <Query,>(query: Query) => ({ ...inProject(id), query })
  const key = (name: string, query: object) => JSON.stringify([name, id, query])
  const map = useLoad(key('heatmap', mapQuery), ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/heatmaps', { params: params(mapQuery), signal })),
  )
  const scroll = useLoad(key('heatmap scroll', filter), ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/heatmaps/scroll', { params: params(filter), signal })),
  )
  const snapshot = useLoad(key('page snapshot', { url, min, max }), ({ signal }) =>
    findPageSnapshot(id, { url, min, max }, signal),
  )
  return (
    <>
      <div class="row">
        <Select<HeatmapType>
          label="Points"
          value={type.value}
          options={TYPES}
          onChange={(value) => setSearch({ type: value === 'click' ? undefined : value })}
        />
        <Select
          label="Width of the window"
          value={viewport.value}
          options={VIEWPORTS}
          onChange={(value) => setSearch({ viewport: value === 'all' ? undefined : value })}
        />
        <label class="row">
          <input
            type="checkbox"
            checked={isAboveFold}
            onChange={() => setSearch({ fold: isAboveFold ? undefined : 'above' })}
          />
          Without scrolling only
        </label>
        {type.value === 'rageclick' && <RageClickRecordings url={url} />}
      </div>
      <Progress isActive={map.isLoading} />
      <div class={styles.columns}>
        <Load of={map} skeleton={<Skeleton height={30} />}>
          {(data) => (
            <HeatmapView
              map={data}
              label={type.label}
              background={
                snapshot.data && (
                  <PageBackground
                    key={`${viewport.value} ${heightOf(data)}`}
                    events={snapshot.data}
                    width={data.width}
                    height={heightOf(data)}
                  />
                )
              }
              hint={
                !snapshot.data &&
                !snapshot.isLoading && (
                  <>
                    None of the latest recordings shows this page in a window of this width, so the map has no page
                    below it. The <a href={link('settings?tab=toolbar')}>toolbar</a> draws the map on the page itself.
                  </>
                )
              }
            />
          )}
        </Load>
        <div class="stack">
          <Load of={scroll}>{(data) => <ScrollDepth scroll={data} />}</Load>
          <Elements filter={{ ...filter, type: type.value }} label={type.label} />
        </div>
      </div>
    </>
  )
}

/** A link to the recordings with rage clicks on a page. The events beside the player lead to the moment of each. */
const RageClickRecordings = ({ url }: { readonly url: string }) => {
  const link = useLink()
  return (
    <a class="button" href={link('recordings', { event: '$rageclick', ...(url.includes('*') ? {} : { page: url }) })}>
      Recordings with rage clicks
    </a>
  )
}

const Elements = ({
  filter,
  label,
}: {
  readonly filter: { readonly type: HeatmapType; readonly url?: string; readonly url_pattern?: string }
  readonly label: string
}) => {
  const { id } = useProject()
  const loaded = useLoad(JSON.stringify(['heatmap elements', id, filter]), ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/heatmaps/elements', { params: { ...inProject(id), query: filter }, signal }),
    ),
  )
  return (
    <Card title="Elements">
      <Load of={loaded}>
        {({ results }) =>
          results.length === 0 ? (
            <p class="muted">No element has {label.toLowerCase()} in this period.</p>
          ) : (
            <SimpleTable
              caption={`Elements with the most ${label.toLowerCase()}`}
              head={['Element', label, 'People', 'Position']}
              rows={results.map(({ selector, count, people, x, y }) => [
                selector,
                count,
                people,
                `${formatShare(x)} × ${formatShare(y)}`,
              ])}
            />
          )
        }
      </Load>
    </Card>
  )
}
