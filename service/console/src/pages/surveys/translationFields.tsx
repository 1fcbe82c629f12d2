import { useState } from 'preact/hooks'
import { languageName } from '../../lib/format.ts'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import type { DraftProps } from './draftProps.ts'
import styles from './surveys.module.css'
import {
  addLanguage,
  languageProblem,
  languagesOf,
  QUESTION_TEXTS,
  removeLanguage,
  SURVEY_TEXTS,
  translateQuestion,
} from './translations.ts'

/** The texts of a survey in other languages. */
export const TranslationFields = (props: DraftProps) => (
  <Card title="Translations">
    <div class="stack">
      <p class="small muted">
        Visitors see the language of their browser, or else the original texts. Texts without a translation stay as they
        are.
      </p>
      {languagesOf(props.draft).map((language) => (
        <Language key={language} language={language} {...props} />
      ))}
      <AddLanguage {...props} />
    </div>
  </Card>
)

const AddLanguage = ({ draft, onChange }: DraftProps) => {
  const [tag, setTag] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    const wrong = languageProblem(tag.trim(), languagesOf(draft))
    setProblem(wrong)
    if (wrong) return
    onChange(addLanguage(draft, tag.trim()))
    setTag('')
  }
  return (
    <Field label="Add a language" error={problem}>
      {(attributes) => (
        <div class="row">
          <input
            {...attributes}
            class="input"
            autocomplete="off"
            placeholder="de"
            value={tag}
            onInput={(event) => setTag(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // Enter would save the survey.
              event.preventDefault()
              add()
            }}
          />
          <button type="button" class="button" onClick={add}>
            Add
          </button>
        </div>
      )}
    </Field>
  )
}

const Language = (props: DraftProps & { readonly language: string }) => {
  const { draft, language, errorOf, onChange } = props
  const appearance = draft.appearance ?? {}
  const texts = draft.translations?.[language] ?? {}
  return (
    <details open={errorOf(`translations.${language}`) !== undefined}>
      <summary>{languageName(language)}</summary>
      <div class="stack">
        {draft.questions.map((_, index) => (
          <TranslatedQuestion key={draft.questions[index]!.id ?? index} index={index} {...props} />
        ))}
        {SURVEY_TEXTS.filter(([field]) => appearance[field]).map(([field, label]) => (
          <TextInput
            key={field}
            label={label}
            hint={`Original: ${appearance[field]}`}
            error={errorOf(`translations.${language}.${field}`)}
            value={texts[field]}
            onChange={(text) =>
              onChange({ translations: { ...draft.translations, [language]: { ...texts, [field]: text } } })
            }
          />
        ))}
        <div class="row">
          <button type="button" class="button" onClick={() => onChange(removeLanguage(draft, language))}>
            Remove {languageName(language)}
          </button>
        </div>
      </div>
    </details>
  )
}

const TranslatedQuestion = ({
  draft: { questions },
  index,
  language,
  errorOf,
  onChange,
}: DraftProps & { readonly index: number; readonly language: string }) => {
  const question = questions[index]!
  const texts = question.translations?.[language] ?? {}
  const change = (changes: Partial<typeof texts>) =>
    onChange({ questions: questions.with(index, translateQuestion(question, language, changes)) })
  const errorAt = (field: string) => errorOf(`questions.${index}.translations.${language}.${field}`)
  return (
    <fieldset class={styles.translated}>
      <legend class="field-label">Question {index + 1}</legend>
      {QUESTION_TEXTS.filter(([field]) => field === 'question' || question[field]).map(([field, label]) => (
        <TextInput
          key={field}
          label={label}
          hint={`Original: ${question[field] ?? ''}`}
          error={errorAt(field)}
          value={texts[field]}
          onChange={(text) => change({ [field]: text })}
        />
      ))}
      {question.choices && (
        <TextArea
          label="Choices"
          hint={`One per line, in the order of the originals: ${question.choices.filter(Boolean).join(', ')}`}
          error={errorAt('choices')}
          value={texts.choices?.join('\n')}
          onChange={(text) => change({ choices: text.split(/\r?\n/) })}
        />
      )}
    </fieldset>
  )
}
