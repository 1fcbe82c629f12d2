import { api, ask } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatWhole } from '../../lib/format.ts'
import { type Period, toDateRange } from '../../lib/period.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useSearchText } from '../../lib/useSearchText.ts'
import { useLink, useProject } from '../../project.ts'
import { search } from '../../router.ts'
import { Empty, Load } from '../../ui/states.tsx'
import styles from './heatmaps.module.css'

/** The pages that have heatmaps, to choose one. */
export const PageList = ({ period }: { readonly period: Period }) => {
  const { id } = useProject()
  const link = useLink()
  const [text, setText] = useSearchText('search')
  const wanted = search.value.get('search') ?? ''
  const query = { ...toDateRange(period), ...(wanted ? { search: wanted } : {}) }
  const loaded = useLoad(JSON.stringify(['heatmap pages', id, query]), ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/heatmaps/pages', { params: { ...inProject(id), query }, signal })),
  )
  const parameters = Object.fromEntries([...search.value].filter(([name]) => name !== 'search'))
  return (
    <div class="stack">
      <input
        class="input"
        type="search"
        aria-label="Search pages"
        placeholder="Search pages"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
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
                  Turn them on with <code>capture_heatmaps: true</code> in <code>init</code>, or for all visitors in the
                  remote configuration. Points arrive within five seconds, and are kept for 90 days.
                </p>
              </Empty>
            )
          ) : (
            <div class="table-wrap" tabIndex={0} role="group" aria-label="Pages">
              <table class="table">
                <caption class="visually-hidden">Pages with heatmaps</caption>
                <thead>
                  <tr>
                    <th scope="col">Page</th>
                    <th scope="col" class="end">
                      Clicks
                    </th>
                    <th scope="col" class="end">
                      People
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {results.map(({ url, clicks, people }) => (
                    <tr key={url}>
                      <td class={styles.url}>
                        <a href={link('heatmaps', { ...parameters, url })}>{url}</a>
                      </td>
                      <td class="end">{formatWhole(clicks)}</td>
                      <td class="end">{formatWhole(people)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Load>
    </div>
  )
}
