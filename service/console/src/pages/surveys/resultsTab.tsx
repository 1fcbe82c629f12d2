import { formatCount, formatShare, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Empty, Load } from '../../ui/states.tsx'
import { ResultsFilters, resultsQuery } from './filters.tsx'
import { QuestionResult } from './questionResult.tsx'
import { getResults, type Results, type Survey } from './surveyApi.ts'

/** The results of a survey: who saw and answered it, and the answers by question. */
export const ResultsTab = ({ survey }: { readonly survey: Survey }) => {
  const { id } = useProject()
  const query = resultsQuery()
  const results = useLoad(`survey results ${id} ${survey.id} ${JSON.stringify(query)}`, ({ signal }) =>
    getResults(id, survey.id, query, signal),
  )
  return (
    <Load of={results}>
      {(data) => (
        <div class="stack">
          <ResultsFilters results={data} />
          <Totals results={data} />
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
