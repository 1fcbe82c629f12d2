import { BranchingFields } from './branchingFields.tsx'
import { Checkbox, NumberInput, SelectInput, TextArea, TextInput } from '../../ui/inputs.tsx'
import { QUESTION_TYPES, SCALES, withType } from './questions.ts'
import type { Question } from './surveyApi.ts'
import styles from './surveys.module.css'

interface QuestionProps {
  readonly question: Question
  /** Returns the message about a field of the question. */
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (question: Question) => void
}

const scaleKey = (display: string | undefined, scale: number | undefined) => `${display} ${scale}`

const RatingFields = ({ question, errorOf, onChange }: QuestionProps) => (
  <>
    <SelectInput
      label="Scale"
      error={errorOf('scale')}
      value={scaleKey(question.display ?? 'number', question.scale ?? 5)}
      options={SCALES.map(({ display, scale, label }) => [scaleKey(display, scale), label])}
      onChange={(key) => {
        const found = SCALES.find(({ display, scale }) => scaleKey(display, scale) === key)!
        // The branching is dropped, because another scale has other buckets.
        const { branching: _, ...rest } = question
        onChange({ ...rest, display: found.display, scale: found.scale })
      }}
    />
    <div class={styles.pair}>
      <TextInput
        label="Label of the lowest rating"
        placeholder="Not likely"
        value={question.lowerBoundLabel}
        onChange={(lowerBoundLabel) => onChange({ ...question, lowerBoundLabel })}
      />
      <TextInput
        label="Label of the highest rating"
        placeholder="Very likely"
        value={question.upperBoundLabel}
        onChange={(upperBoundLabel) => onChange({ ...question, upperBoundLabel })}
      />
    </div>
  </>
)

const ChoiceFields = ({ question, errorOf, onChange }: QuestionProps) => (
  <>
    <TextArea
      label="Choices"
      hint="One per line. You can paste a list."
      error={errorOf('choices')}
      value={question.choices?.join('\n')}
      onChange={(text) => onChange({ ...question, choices: text.split(/\r?\n/) })}
    />
    <Checkbox
      label="Visitors can write their own answer for the last choice"
      value={question.hasOpenChoice}
      onChange={(hasOpenChoice) => onChange({ ...question, hasOpenChoice })}
    />
    <Checkbox
      label="Shuffle the choices"
      value={question.shuffleOptions}
      onChange={(shuffleOptions) => onChange({ ...question, shuffleOptions })}
    />
  </>
)

type LengthRule = NonNullable<Question['validation']>[number]['type']

const OpenFields = ({ question, errorOf, onChange }: QuestionProps) => {
  const rules = question.validation ?? []
  const valueOf = (type: LengthRule) => rules.find((rule) => rule.type === type)?.value
  const change = (type: LengthRule, value: number | null) =>
    onChange({
      ...question,
      validation: [...rules.filter((rule) => rule.type !== type), ...(value === null ? [] : [{ type, value }])],
    })
  return (
    <div class={styles.pair}>
      <NumberInput
        label="At least this many characters"
        min={1}
        error={errorOf('validation')}
        value={valueOf('min_length')}
        onChange={(value) => change('min_length', value)}
      />
      <NumberInput
        label="At most this many characters"
        min={1}
        value={valueOf('max_length')}
        onChange={(value) => change('max_length', value)}
      />
    </div>
  )
}

const LinkFields = ({ question, errorOf, onChange }: QuestionProps) => (
  <TextInput
    label="URL"
    hint="It opens in a new tab."
    error={errorOf('link')}
    value={question.link}
    onChange={(link) => onChange({ ...question, link })}
  />
)

const BY_TYPE = {
  open: OpenFields,
  rating: RatingFields,
  single_choice: ChoiceFields,
  multiple_choice: ChoiceFields,
  link: LinkFields,
} as const

/** The fields of one question. */
export const QuestionFields = ({
  index,
  questions,
  ...props
}: QuestionProps & { readonly index: number; readonly questions: readonly Question[] }) => {
  const { question, errorOf, onChange } = props
  const More = BY_TYPE[question.type]
  const hasNoButton = question.type === 'rating' || (question.type === 'single_choice' && !question.hasOpenChoice)
  return (
    <div class="stack">
      <div class={styles.pair}>
        <TextInput
          label="Question"
          error={errorOf('question')}
          value={question.question}
          onChange={(text) => onChange({ ...question, question: text })}
        />
        <SelectInput
          label="Answer"
          value={question.type}
          options={Object.entries(QUESTION_TYPES) as [Question['type'], string][]}
          onChange={(type) => onChange(withType(question, type))}
        />
      </div>
      <TextInput
        label="Description"
        value={question.description}
        onChange={(description) => onChange({ ...question, description, descriptionContentType: 'text' })}
      />
      <More {...props} />
      <TextInput
        label="Label of the button"
        placeholder="Submit"
        value={question.buttonText}
        onChange={(buttonText) => onChange({ ...question, buttonText })}
      />
      <Checkbox
        label="Visitors can skip the question"
        value={question.optional}
        onChange={(optional) => onChange({ ...question, optional })}
      />
      {hasNoButton && (
        <Checkbox
          label="Submit as soon as an answer is chosen"
          value={question.skipSubmitButton}
          onChange={(skipSubmitButton) => onChange({ ...question, skipSubmitButton })}
        />
      )}
      <BranchingFields
        question={question}
        index={index}
        questions={questions}
        error={errorOf('branching')}
        onChange={onChange}
      />
    </div>
  )
}
