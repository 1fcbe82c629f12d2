import { SelectInput } from '../../ui/inputs.tsx'
import { bucketsOf, withBranching } from './questions.ts'
import type { Branching, Question } from './surveyApi.ts'
import styles from './surveys.module.css'

type Target = 'next_question' | 'end' | `${number}`

/** What follows a question: the next one, another one, the end, or one of these by the answer. */
export const BranchingFields = ({
  question,
  index,
  questions,
  error,
  onChange,
}: {
  readonly question: Question
  readonly index: number
  readonly questions: readonly Question[]
  readonly error: string | undefined
  readonly onChange: (question: Question) => void
}) => {
  const branching = question.branching ?? { type: 'next_question' }
  const buckets = bucketsOf(question)
  const change = (next: Branching) => onChange(withBranching(question, next))
  const targets: readonly (readonly [Target, string])[] = [
    ['next_question', 'Next question'],
    ['end', 'End of the survey'],
    ...questions.flatMap((each, place) =>
      place === index ? [] : [[`${place}`, `Question ${place + 1}${each.question && `: ${each.question}`}`] as const],
    ),
  ]
  const choice: Target | 'response_based' =
    branching.type === 'specific_question' ? `${branching.index ?? 0}` : branching.type
  const toBranching = (value: Target | 'response_based'): Branching =>
    value === 'response_based'
      ? { type: 'response_based', responseValues: {} }
      : value === 'next_question' || value === 'end'
        ? { type: value }
        : { type: 'specific_question', index: Number(value) }
  return (
    <div class="stack">
      <SelectInput<Target | 'response_based'>
        label="Then"
        error={error}
        value={choice}
        options={[...targets, ...(buckets.length ? [['response_based', 'Depends on the answer'] as const] : [])]}
        onChange={(value) => change(toBranching(value))}
      />
      {branching.type === 'response_based' && (
        <div class={styles.branches}>
          {buckets.map(([bucket, label]) => (
            <SelectInput<Target>
              key={bucket}
              label={`After “${label}”`}
              value={`${branching.responseValues?.[bucket] ?? 'next_question'}` as Target}
              options={targets}
              onChange={(target) =>
                change({
                  ...branching,
                  responseValues: {
                    ...branching.responseValues,
                    [bucket]: target === 'next_question' || target === 'end' ? target : Number(target),
                  },
                })
              }
            />
          ))}
        </div>
      )}
    </div>
  )
}
