import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { QuestionFields } from './questionFields.tsx'
import { moveQuestion, newQuestion, removeQuestion } from './questions.ts'
import type { DraftProps } from './draftProps.ts'
import styles from './surveys.module.css'

const MAX_QUESTIONS = 50
/** Fields that show the errors of what they contain. */
const WITHIN: readonly string[] = ['choices', 'validation', 'branching']

/** The questions of a survey, in order. */
export const QuestionList = ({ draft: { questions }, errorOf, onChange }: DraftProps) => (
  <Card title="Questions">
    <ol class={`stack ${styles.questions}`}>
      {questions.map((question, index) => (
        <li key={question.id ?? index} class={`box ${styles.question}`}>
          <div class="row between">
            <h3>Question {index + 1}</h3>
            <div class="row">
              <IconButton
                icon="up"
                label={`Move question ${index + 1} up`}
                disabled={index === 0}
                onClick={() => onChange({ questions: moveQuestion(questions, index, index - 1) })}
              />
              <IconButton
                icon="down"
                label={`Move question ${index + 1} down`}
                disabled={index === questions.length - 1}
                onClick={() => onChange({ questions: moveQuestion(questions, index, index + 1) })}
              />
              <IconButton
                icon="trash"
                label={`Remove question ${index + 1}`}
                disabled={questions.length === 1}
                onClick={() => onChange({ questions: removeQuestion(questions, index) })}
              />
            </div>
          </div>
          <QuestionFields
            question={question}
            index={index}
            questions={questions}
            errorOf={(field) => errorOf(`questions.${index}.${field}`, { isWithin: WITHIN.includes(field) })}
            onChange={(changed) =>
              onChange({ questions: questions.map((each, place) => (place === index ? changed : each)) })
            }
          />
        </li>
      ))}
    </ol>
    {questions.length < MAX_QUESTIONS && (
      <button
        type="button"
        class="button"
        style={{ marginTop: '1rem' }}
        onClick={() => onChange({ questions: [...questions, newQuestion()] })}
      >
        <Icon name="plus" size={16} /> Add a question
      </button>
    )}
  </Card>
)

const IconButton = ({
  icon,
  label,
  disabled,
  onClick,
}: {
  readonly icon: 'up' | 'down' | 'trash'
  readonly label: string
  readonly disabled: boolean
  readonly onClick: () => void
}) => (
  <button type="button" class="button" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
    <Icon name={icon} size={16} />
  </button>
)
