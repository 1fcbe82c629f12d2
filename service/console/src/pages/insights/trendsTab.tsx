import { periodOf } from '../../lib/period.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { search } from '../../router.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Empty } from '../../ui/states.tsx'
import { InsightResult } from './insightResult.tsx'
import { TrendsChart, type TrendLine } from './trendsChart.tsx'
import { needsProperty, trendsOf, trendsQuery } from '../../insights/trends/trendsQuery.ts'
import { TrendsSettings } from './trendsSettings.tsx'

/** Trends: counts of events over time. */
export const TrendsTab = () => {
  const { series, display } = trendsOf(search.value)
  const lacksProperty = series.some(({ math, property }) => needsProperty(math) && !property)
  const query = trendsQuery(search.value)
  const loaded = useQuery(lacksProperty ? undefined : query)
  return (
    <div class="stack">
      <TrendsSettings />
      <Card>
        {lacksProperty ? (
          <Empty title="Choose a property">
            <p>This series aggregates the numbers of a property.</p>
          </Empty>
        ) : (
          <InsightResult of={loaded}>
            {({ results }) => (
              <TrendsChart
                query={query}
                lines={results as readonly TrendLine[]}
                display={display}
                isRunning={!periodOf(search.value).dateTo}
              />
            )}
          </InsightResult>
        )}
      </Card>
    </div>
  )
}
