import { formatCount, formatNumber, formatShare, formatWhole } from '../../lib/format.ts'
import { search } from '../../router.ts'
import { useLink } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { QUESTION_TYPES } from './questions.ts'
import type { QuestionResults } from './surveyApi.ts'
import styles from './surveys.module.css'
import { Rows } from '../../ui/rows.tsx'

interface Bar {
  readonly label: string
  readonly count: number
  readonly share: number
}

const barsOf = ({ ratings, choices }: QuestionResults): readonly Bar[] =>
  ratings?.map(({ value, ...bar }) => ({ label: String(value), ...bar })) ?? choices ?? []

/** The answers to one question: counts and shares, the average, NPS or CSAT, and where people gave up. */
export const QuestionResult = ({
  surveyId,
  result,
  number,
}: {
  readonly surveyId: string
  readonly result: QuestionResults
  readonly number: number
}) => {
  const bars = barsOf(result)
  return (
    <Card title={`${number}. ${result.question}`}>
      <div class="stack">
        <p class="small muted">
          {QUESTION_TYPES[result.type]}, {formatCount(result.answers, 'answer')}
          {result.skipped > 0 && `, ${formatWhole(result.skipped)} without one`}
          {result.partial_answers > 0 && `, ${formatWhole(result.partial_answers)} more from people who did not finish`}
          {result.left_after > 0 && `, ${formatWhole(result.left_after)} left after it`}
        </p>
        <Scores result={result} />
        {bars.length > 0 && <Bars title={result.question} bars={bars} />}
        {result.type === 'open' && result.answers + result.partial_answers > 0 && (
          <ReadAnswers surveyId={surveyId} questionId={result.id} />
        )}
      </div>
    </Card>
  )
}

const Scores = ({ result: { nps, csat, average } }: { readonly result: QuestionResults }) => {
  const facts: readonly string[] = [
    ...(nps && nps.score !== null
      ? [
          `NPS ${formatNumber(Math.round(nps.score))}`,
          formatCount(nps.promoters, 'promoter'),
          formatCount(nps.passives, 'passive'),
          formatCount(nps.detractors, 'detractor'),
        ]
      : []),
    ...(csat && csat.score !== null ? [`${formatShare(csat.score)} satisfied`] : []),
    ...(typeof average === 'number' ? [`${formatNumber(average)} on average`] : []),
  ]
  if (!facts.length) return null
  return (
    <ul class={styles.scores}>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  )
}

const Bars = ({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) => (
  <table class={styles.bars}>
    <caption class="visually-hidden">Answers to {title}</caption>
    <thead class="visually-hidden">
      <tr>
        <th scope="col">Answer</th>
        <th scope="col">Answers</th>
        <th scope="col">Share</th>
      </tr>
    </thead>
    <tbody>
      <Rows of={bars} keyOf={({ label }) => label} columns={3}>
        {({ label, count, share }) => (
          <tr>
            <th scope="row">
              <span class={styles.bar} style={{ width: `${share * 100}%` }} />
              <span class={styles.label}>{label}</span>
            </th>
            <td>{formatWhole(count)}</td>
            <td class="muted">{formatShare(share)}</td>
          </tr>
        )}
      </Rows>
    </tbody>
  </table>
)

const ReadAnswers = ({ surveyId, questionId }: { readonly surveyId: string; readonly questionId: string }) => {
  const link = useLink()
  const parameters = { ...Object.fromEntries(search.value), tab: 'answers', question: questionId }
  return <a href={link(`surveys/${surveyId}`, parameters)}>Read the answers</a>
}
