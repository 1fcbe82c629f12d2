import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { formatDateTime, formatDuration, formatShare, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Segments } from '../../ui/field.tsx'
import { LineChart, type Series } from '../../ui/lineChart.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type EndpointRuns, endpointPath, type TabProps } from './endpointApi.ts'
import { bucketsOf, SPANS } from './runBuckets.ts'

/** Statistics of an endpoint's runs, and its last runs. */
export const RunsTab = ({ endpoint }: TabProps) => {
  const { id } = useProject()
  const span = SPANS.find(({ value }) => value === search.value.get('span')) ?? SPANS[0]
  const loaded = useLoad(`runs ${id} ${endpoint.name} ${span.value}`, ({ signal }) => {
    const after = new Date(Date.now() - span.buckets * span.ms).toISOString()
    const params = { ...endpointPath(id, endpoint.name), query: { after, interval: span.interval } }
    return dataOf(api.GET('/api/projects/{projectId}/endpoints/{name}/runs', { params, signal }))
  })
  return (
    <div class="stack">
      <div class="row between">
        <Segments label="Period" value={span.value} options={SPANS} onChange={(value) => setSearch({ span: value })} />
        <button type="button" class="button" onClick={() => loaded.reload()}>
          Refresh
        </button>
      </div>
      <Load of={loaded}>
        {(runs) =>
          runs.totals.runs === 0 ? (
            <Empty title="No runs in this period">
              <p>The tab “Use” has a command that runs this endpoint.</p>
            </Empty>
          ) : (
            <Statistics runs={runs} span={span} />
          )
        }
      </Load>
    </div>
  )
}

const ms = (value: number | null) => (value === null ? '–' : formatDuration(value / 1000))

const Statistics = ({ runs, span }: { readonly runs: EndpointRuns; readonly span: (typeof SPANS)[number] }) => {
  const { timezone } = useProject()
  const { totals, series, recent } = runs
  const succeeded = totals.runs - totals.errors
  const chart = useMemo(() => {
    const { labels, counts } = bucketsOf(series, span, timezone, Date.now())
    const lines: readonly Series[] = [
      { label: 'Runs', values: counts.map(({ runs: count }) => count), color: 1, isComparison: false },
      { label: 'Errors', values: counts.map(({ errors }) => errors), color: 2, isComparison: false },
    ]
    return { labels, lines }
  }, [series, span, timezone])
  const tiles = [
    { label: 'Runs', value: formatWhole(totals.runs) },
    { label: 'Errors', value: formatWhole(totals.errors) },
    { label: 'Median', value: ms(totals.p50_ms) },
    { label: '95th percentile', value: ms(totals.p95_ms) },
    { label: 'Cached', value: succeeded ? formatShare(totals.cached / succeeded) : '–' },
  ]
  return (
    <div class="stack">
      <dl class="tiles">
        {tiles.map(({ label, value }) => (
          <div key={label} class="tile">
            <dt class="tile-label">{label}</dt>
            <dd class="tile-value">{value}</dd>
          </div>
        ))}
      </dl>
      {totals.errors_by_code.length > 0 && (
        <p class="row">
          {totals.errors_by_code.map(({ code, count }) => (
            <span key={code} class="badge bad">
              {code}: {formatWhole(count)}
            </span>
          ))}
        </p>
      )}
      <Card>
        <LineChart caption="Runs over time" labels={chart.labels} series={chart.lines} isLastPartial />
      </Card>
      <Card title="Last runs">
        <Table caption="Last runs" columns={columnsIn(timezone)} rows={recent} rowKey={(_, index) => index} />
      </Card>
    </div>
  )
}

type Recent = EndpointRuns['recent'][number]

const columnsIn = (zone: string): readonly Column<Recent>[] => [
  { key: 'at', title: 'Time', cell: ({ at }) => formatDateTime(at, zone) },
  {
    key: 'status',
    title: 'Result',
    cell: ({ status, code }) => (
      <span class={status === 'ok' ? 'badge good' : 'badge bad'}>{status === 'ok' ? 'OK' : (code ?? 'Error')}</span>
    ),
  },
  { key: 'version', title: 'Version', isNumber: true, cell: ({ version }) => version },
  { key: 'path', title: 'Answered', cell: ({ path }) => path ?? '–' },
  { key: 'duration', title: 'Duration', isNumber: true, cell: ({ duration_ms }) => ms(duration_ms) },
  { key: 'rows', title: 'Rows', isNumber: true, cell: ({ rows }) => (rows === null ? '–' : formatWhole(rows)) },
  {
    key: 'key',
    title: 'Key',
    cell: ({ key_label, run_token_id }) => (run_token_id ? `${key_label}, run token` : key_label),
  },
  { key: 'variables', title: 'Variables', cell: ({ variables }) => variables.join(', ') || '–' },
]
