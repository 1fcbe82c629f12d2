import { Fragment, h } from 'preact'
import type { Draft } from './answers'
import { hintOf, limitsOf } from './answers'
import { Face, Thumb } from './faces'
import type { Run } from './run'

export interface QuestionProps {
  run: Run
  /** Ids of the elements that describe the question, for `aria-describedby`. */
  describedBy: string | undefined
  /** Id of the question's text. */
  labelId: string
  /** Draws what `change` has changed. */
  change(draft: Partial<Draft>): void
  /** Submits the draft. */
  submit(): void
}

/** Id of the control of a question. Part of the contract with sites. */
export const controlId = (index: number) => `surveyQuestion${index}`
export const hintId = (index: number) => `surveyHint${index}`

const keep = (event: Event) => event.stopPropagation()
/**
 * Returns the listeners of a text field that keep typed keys from triggering the page's shortcuts. `onKey` receives those
 * that are pressed.
 */
const keyListeners = (onKey: (key: string, event: KeyboardEvent) => void) => ({
  onKeyDown: (event: KeyboardEvent) => {
    // Keys that compose a character are not for the survey.
    if (!event.isComposing) onKey(event.key, event)
    // Escape closes the survey.
    if (event.key !== 'Escape') keep(event)
  },
  onKeyPress: keep,
  onKeyUp: keep,
})

export const OpenQuestion = ({ run, describedBy, change, submit }: QuestionProps) => {
  const { min, max } = limitsOf(run.question())
  const hint = hintOf(run.question())
  const { text } = run.draft()
  const length = text.trim().length
  return (
    <>
      <textarea
        id={controlId(run.index())}
        rows={4}
        value={text}
        placeholder={run.survey.appearance?.placeholder ?? 'Start typing...'}
        minLength={min || undefined}
        maxLength={max || undefined}
        required={!run.question().optional}
        aria-describedby={describedBy}
        aria-invalid={length > 0 && (length < min || (!!max && length > max)) ? 'true' : undefined}
        onInput={(event) => change({ text: event.currentTarget.value })}
        {...keyListeners((key, event) => {
          if (key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
        })}
      />
      {hint && (
        <div class="validation-hint" id={hintId(run.index())}>
          {hint}
        </div>
      )}
    </>
  )
}

// Arrow keys dispatch clicks on radio buttons. They select but never submit.
let isArrowDown = false

export const ChoiceQuestion = ({ run, describedBy, change, submit }: QuestionProps) => {
  const { choices = [], hasOpenChoice, question, type } = run.question()
  const { chosen, text } = run.draft()
  const isSingle = type === 'single_choice'
  const q = run.index()
  const choose = (index: number, isOn: boolean) =>
    change({ chosen: isSingle ? [index] : isOn ? [...chosen, index] : chosen.filter((each) => each !== index) })
  return (
    <fieldset
      class="multiple-choice-options"
      aria-describedby={describedBy}
      onKeyDown={({ key }) => (isArrowDown = key.startsWith('Arrow'))}
      onKeyUp={() => (isArrowDown = false)}
    >
      <legend class="sr-only">{question}</legend>
      {run.choices().map((index) => {
        const id = `${controlId(q)}Choice${index}`
        const isOpen = !!hasOpenChoice && index === choices.length - 1
        return (
          <div class="choice" key={id}>
            <label class={isOpen ? 'choice-option-open' : undefined}>
              <div class="response-choice">
                <input
                  type={isSingle ? 'radio' : 'checkbox'}
                  id={id}
                  name={`question${q}`}
                  value={choices[index]}
                  checked={chosen.includes(index)}
                  onInput={(event) => choose(index, event.currentTarget.checked)}
                  onClick={() => {
                    if (!run.submitsItself() || isArrowDown) return
                    choose(index, true)
                    submit()
                  }}
                />
                <span>{isOpen ? `${choices[index]}:` : choices[index]}</span>
              </div>
            </label>
            {isOpen && (
              <input
                type="text"
                id={`${id}Open`}
                name={`question${q}Open`}
                aria-label={choices[index]}
                value={text}
                onInput={(event) =>
                  change({
                    text: event.currentTarget.value,
                    chosen: isSingle ? [index] : [...chosen.filter((each) => each !== index), index],
                  })
                }
                {...keyListeners((key, event) => {
                  if (key === 'Enter') {
                    event.preventDefault()
                    submit()
                  } else if (key === 'Escape' && text) {
                    event.stopPropagation()
                    change({ text: '' })
                  }
                })}
              />
            )}
          </div>
        )
      })}
    </fieldset>
  )
}

/** Steps by key in a row of ratings. */
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -99, End: 99 }

export const RatingQuestion = ({ run, labelId, describedBy, change, submit }: QuestionProps) => {
  const { display, scale = 5, lowerBoundLabel, upperBoundLabel } = run.question()
  const q = run.index()
  const first = scale === 10 ? 0 : 1
  const values = Array.from({ length: scale - first + 1 }, (_, index) => index + first)
  const { rating } = run.draft()
  const isEmoji = display === 'emoji'
  const isThumbs = isEmoji && scale === 2
  const boundsId = `surveyBounds${q}`
  const move = (event: KeyboardEvent & { currentTarget: Element }, value: number) => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl' && /Left|Right/.test(event.key)
    const step = STEPS[event.key]
    if (!step) return
    event.preventDefault()
    const next = Math.min(scale, Math.max(first, value + (isRtl ? -step : step)))
    change({ rating: next })
    event.currentTarget.parentElement!.querySelector<HTMLElement>(`.question-${q}-rating-${next}`)!.focus()
  }
  return (
    <div class="rating-section">
      <div
        class={`rating-options ${isEmoji ? `rating-options-emoji rating-options-emoji-${scale}` : 'rating-options-number'}`}
        role="radiogroup"
        aria-labelledby={labelId}
        aria-describedby={[describedBy, isThumbs ? undefined : boundsId].filter(Boolean).join(' ') || undefined}
        aria-required={!run.question().optional}
      >
        {values.map((value) => (
          <button
            type="button"
            key={value}
            role="radio"
            class={`${isEmoji ? 'ratings-emoji' : 'ratings-number'} question-${q}-rating-${value}${value === rating ? ' rating-active' : ''}`}
            aria-label={`Rate ${value}`}
            aria-checked={value === rating ? 'true' : 'false'}
            tabIndex={value === (rating ?? first) ? 0 : -1}
            onKeyDown={(event) => move(event, value)}
            onClick={() => {
              change({ rating: value })
              if (run.submitsItself()) submit()
            }}
          >
            {isThumbs ? (
              <Thumb isUp={value === 1} />
            ) : isEmoji ? (
              <Face mood={(2 * (value - 1)) / (scale - 1) - 1} />
            ) : (
              value
            )}
          </button>
        ))}
      </div>
      {!isThumbs && (
        <div class="rating-text" id={boundsId}>
          <div>{lowerBoundLabel}</div>
          <div>{upperBoundLabel}</div>
        </div>
      )}
    </div>
  )
}
