import { useEffect } from 'preact/hooks'
import { formatCount, formatShare, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { LineChart } from '../../ui/lineChart.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { ResultsFilters, resultsQuery } from './filters.tsx'
import { QuestionResult } from './questionResult.tsx'
import { getResults, type Results, type Survey } from './surveyApi.ts'

// How often new answers appear while the tab is open.
const EVERY_MS = 15_000

/** The results of a survey: who saw and answered it, and the answers by question. */
export const ResultsTab = ({ survey }: { readonly survey: Survey }) => {
  const { id } = useProject()
  const query = resultsQuery()
  const results = useLoad(`survey results ${id} ${survey.id} ${JSON.stringify(query)}`, ({ signal }) =>
    getResults(id, survey.id, query, signal),
  )
  const { reload } = results
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <Load of={results}>
      {(data) => (
        <div class="stack">
          <ResultsFilters results={data} />
          <Totals results={data} />
          <Days results={data} />
          {data.completed.events + data.partial.events ? (
            data.questions.map((question, index) => (
              <QuestionResult key={question.id} surveyId={survey.id} result={question} number={index + 1} />
            ))
          ) : (
            <Empty title="No answers yet">
              <p>
                {survey.state === 'draft'
                  ? 'Launch the survey to ask visitors.'
                  : 'Answers appear here as soon as they arrive.'}
              </p>
            </Empty>
          )}
        </div>
      )}
    </Load>
  )
}

const Days = ({ results: { days } }: { readonly results: Results }) =>
  days.length > 1 && (
    <Card title="By day">
      <LineChart
        caption="Showings and completed submissions by day"
        labels={days.map(({ day }) => day)}
        series={[
          { label: 'Shown', values: days.map(({ shown }) => shown), color: 1 },
          { label: 'Completed', values: days.map(({ completed }) => completed), color: 2 },
        ]}
        kind="bar"
      />
    </Card>
  )

const share = (value: number | null) => (value === null ? '–' : formatShare(value))

const Totals = ({
  results: { shown, completed, partial, dismissed, response_rate: rate },
}: {
  readonly results: Results
}) => {
  const tiles: readonly (readonly [label: string, value: string, about: string])[] = [
    ['Shown to', formatWhole(shown.people), formatCount(shown.events, 'time')],
    ['Answered by', formatWhole(completed.people), formatCount(completed.events, 'submission')],
    ['Response rate', share(rate.people), `${share(rate.events)} of showings`],
    ['Dismissed by', formatWhole(dismissed.people), formatCount(dismissed.events, 'time')],
    ['Not finished by', formatWhole(partial.people), formatCount(partial.events, 'submission')],
  ]
  return (
    <dl class="tiles">
      {tiles.map(([label, value, about]) => (
        <div key={label} class="tile">
          <dt class="tile-label">{label}</dt>
          <dd class="tile-value">{value}</dd>
          <dd class="small muted">{about}</dd>
        </div>
      ))}
    </dl>
  )
}
