import { Fragment, h } from 'preact'
import type { Draft } from './answers'
import { hintOf, isValid } from './answers'
import { Html, type LoadSanitizer } from './html'
import { ChoiceQuestion, controlId, hintId, OpenQuestion, type QuestionProps, RatingQuestion } from './questions'
import type { Run } from './run'

export interface BoxProps {
  run: Run
  isInline: boolean
  /** Text that screen readers announce once. */
  announcement: string
  loadSanitizer: LoadSanitizer
  actions: {
    change(draft: Partial<Draft>): void
    submit(): void
    back(): void
    begin(): void
    /** Closes the survey: dismisses it before its end. */
    close(): void
  }
}

const QUESTIONS: Partial<Record<string, (props: QuestionProps) => h.JSX.Element>> = {
  open: OpenQuestion,
  single_choice: ChoiceQuestion,
  multiple_choice: ChoiceQuestion,
  rating: RatingQuestion,
}

/** Id of the text that names the survey's box. */
export const HEADING = 'surveyHeading'

const Close = ({ close }: { close(): void }) => (
  <button type="button" class="form-cancel" aria-label="Close survey" onClick={close}>
    <svg viewBox="0 0 12 12" aria-hidden="true">
      <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
    </svg>
  </button>
)

const Branding = () => (
  <a class="footer-branding" href="https://github.com/trailmark/trailmark" target="_blank" rel="noopener">
    Survey by Trailmark
  </a>
)

/** Intro and thank-you message. */
const Message = (props: {
  kind: 'intro-screen' | 'thank-you-message'
  header: string | undefined
  body: string | null | undefined
  isText: boolean
  button: string
  onButton(): void
  loadSanitizer: LoadSanitizer
}) => {
  const { kind, header, body, isText, button, onButton, loadSanitizer } = props
  return (
    <div class={kind} {...(kind === 'thank-you-message' ? { role: 'status', tabIndex: 0 } : {})}>
      <h3 class={`${kind}-header`} id={HEADING}>
        {header}
      </h3>
      {body && <Html class={`${kind}-body`} html={body} isText={isText} loadSanitizer={loadSanitizer} />}
      <button type="button" class="form-submit" onClick={onButton}>
        {button}
      </button>
    </div>
  )
}

const Question = ({ run, loadSanitizer, actions }: BoxProps) => {
  const index = run.index()
  const question = run.question()
  const { appearance } = run.survey
  const { type, description, link } = question
  const Control = QUESTIONS[type]
  const descriptionId = `surveyDescription${index}`
  const describedBy =
    [description ? descriptionId : [], hintOf(question) ? hintId(index) : []].flat().join(' ') || undefined
  const submitText = question.buttonText || appearance?.submitButtonText || 'Submit'
  const isLink = type === 'link' && /^(https:|mailto:)/i.test(link ?? '')
  const position = run.position()
  return (
    <>
      <div class="survey-box" data-question-index={index} key={index}>
        <div class="question-container">
          <div class="question-header">
            {type === 'open' ? (
              <label class="survey-question" id={HEADING} for={controlId(index)} tabIndex={-1}>
                {question.question}
              </label>
            ) : (
              <h3 class="survey-question" id={HEADING} tabIndex={-1}>
                {question.question}
              </h3>
            )}
            {description && (
              <Html
                class="survey-question-description"
                id={descriptionId}
                html={description}
                isText={question.descriptionContentType === 'text'}
                loadSanitizer={loadSanitizer}
              />
            )}
          </div>
          {Control && (
            <Control
              run={run}
              labelId={HEADING}
              describedBy={describedBy}
              change={actions.change}
              submit={actions.submit}
            />
          )}
        </div>
        <div class="bottom-section">
          {run.canGoBack() && (
            <button type="button" class="form-back" onClick={actions.back}>
              {appearance?.backButtonText || 'Back'}
            </button>
          )}
          {isLink ? (
            <a class="form-submit" href={link!} target="_blank" rel="noopener" onClick={actions.submit}>
              {submitText}
              <span class="sr-only"> (new tab)</span>
            </a>
          ) : (
            !run.submitsItself() && (
              <button type="submit" class="form-submit" disabled={!isValid(question, run.draft())}>
                {submitText}
              </button>
            )
          )}
        </div>
      </div>
      {position && (
        <div class="survey-progress">
          {position.at} of {position.of}
        </div>
      )}
    </>
  )
}

/** A survey: its intro, the current question, or the thank-you message. */
export const Box = (props: BoxProps) => {
  const { run, isInline, announcement, actions, loadSanitizer } = props
  const look = run.survey.appearance ?? {}
  return (
    <form
      class="survey-form"
      name="surveyForm"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        actions.submit()
      }}
    >
      {!isInline && !look.hideCancelButton && <Close close={actions.close} />}
      {run.screen() === 'intro' && (
        <Message
          kind="intro-screen"
          header={look.introScreenHeader}
          body={look.introScreenDescription}
          isText={look.introScreenDescriptionContentType === 'text'}
          button={look.introScreenButtonText || 'Get started'}
          onButton={actions.begin}
          loadSanitizer={loadSanitizer}
        />
      )}
      {run.screen() === 'question' && <Question {...props} />}
      {run.screen() === 'thanks' && (
        <Message
          kind="thank-you-message"
          header={look.thankYouMessageHeader || 'Thank you!'}
          body={look.thankYouMessageDescription}
          isText={look.thankYouMessageDescriptionContentType === 'text'}
          button={look.thankYouMessageCloseButtonText || 'Close'}
          onButton={actions.close}
          loadSanitizer={loadSanitizer}
        />
      )}
      {!look.whiteLabel && <Branding />}
      {!isInline && (
        <div class="sr-only" role="status">
          {announcement}
        </div>
      )}
    </form>
  )
}
