import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { formatWhole } from '../../lib/format.ts'
import { type Period, toDateRange } from '../../lib/period.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { search } from '../../router.ts'
import { SearchInput } from '../../ui/searchInput.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './heatmaps.module.css'

type HeatmapPage = ResponseOf<'/api/projects/{projectId}/heatmaps/pages', 'get'>['results'][number]

/** The pages that have heatmaps, to choose one. */
export const PageList = ({ period }: { readonly period: Period }) => {
  const { id } = useProject()
  const link = useLink()
  const wanted = search.value.get('search') ?? ''
  const query = { ...toDateRange(period), ...(wanted ? { search: wanted } : {}) }
  const loaded = useLoad(JSON.stringify(['heatmap pages', id, query]), ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/heatmaps/pages', { params: { ...inProject(id), query }, signal })),
  )
  const parameters = Object.fromEntries([...search.value].filter(([name]) => name !== 'search'))
  const columns: readonly Column<HeatmapPage>[] = [
    {
      key: 'page',
      title: 'Page',
      cell: ({ url }) => (
        <a class={styles.url} href={link('heatmaps', { ...parameters, url })}>
          {url}
        </a>
      ),
    },
    { key: 'clicks', title: 'Clicks', isNumber: true, cell: ({ clicks }) => formatWhole(clicks) },
    { key: 'people', title: 'People', isNumber: true, cell: ({ people }) => formatWhole(people) },
  ]
  return (
    <div class="stack">
      <SearchInput label="Search pages" placeholder="Part of the URL" />
      <Load of={loaded}>
        {({ results }) =>
          results.length === 0 ? (
            wanted ? (
              <Empty title="No page matches">
                <p>Search for a part of the URL.</p>
              </Empty>
            ) : (
              <Empty title="No heatmaps in this period">
                <p>
                  They show where visitors click and how far they scroll. Points arrive within five seconds, and are
                  kept for 90 days.
                </p>
                <a class="button primary" href={link('settings', { tab: 'sdk' })}>
                  Capture heatmaps
                </a>
              </Empty>
            )
          ) : (
            <Table caption="Pages with heatmaps" columns={columns} rows={results} rowKey={({ url }) => url} />
          )
        }
      </Load>
    </div>
  )
}
