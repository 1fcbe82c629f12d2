import { Card } from '../../ui/pageHead.tsx'
import { Checkbox, SelectInput, TextArea, TextInput } from '../../ui/inputs.tsx'
import type { Appearance } from './surveyApi.ts'
import type { DraftProps } from './draftProps.ts'
import styles from './surveys.module.css'

const POSITIONS: readonly (readonly [NonNullable<Appearance['position']>, string])[] = [
  ['right', 'Bottom right'],
  ['center', 'Bottom center'],
  ['left', 'Bottom left'],
  ['middle_right', 'Middle right'],
  ['middle_center', 'Middle'],
  ['middle_left', 'Middle left'],
  ['top_right', 'Top right'],
  ['top_center', 'Top center'],
  ['top_left', 'Top left'],
  ['next_to_trigger', 'Next to the element that opens it'],
]

const WIDGETS: readonly (readonly [NonNullable<Appearance['widgetType']>, string])[] = [
  ['tab', 'A tab at the edge'],
  ['button', 'A button'],
  ['selector', 'An element of the page'],
]

const COLORS = [
  ['backgroundColor', 'Background'],
  ['textColor', 'Text'],
  ['borderColor', 'Border'],
  ['submitButtonColor', 'Button'],
  ['submitButtonTextColor', 'Text of the button'],
  ['ratingButtonColor', 'Rating'],
  ['ratingButtonActiveColor', 'Chosen rating'],
  ['inputBackground', 'Background of inputs'],
] as const satisfies readonly (readonly [keyof Appearance, string])[]

const TABS: readonly (readonly [NonNullable<Appearance['tabPosition']>, string])[] = [
  ['right', 'At the right'],
  ['left', 'At the left'],
  ['top', 'At the top'],
  ['bottom', 'At the bottom'],
]

const OPTIONS = [
  ['allowGoBack', 'Let people go back'],
  ['shuffleQuestions', 'Shuffle the questions'],
  ['hideCancelButton', 'Hide the close button'],
  ['whiteLabel', 'Hide “Survey by Trailmark”'],
] as const satisfies readonly (readonly [keyof Appearance, string])[]

interface AppearanceProps {
  readonly appearance: Appearance
  readonly errorOf: DraftProps['errorOf']
  readonly change: (changes: Partial<Appearance>) => void
}

/** How a survey looks, and what it says at its beginning and end. */
export const AppearanceFields = ({ draft, errorOf, onChange }: DraftProps) => {
  const appearance = draft.appearance ?? {}
  const change = (changes: Partial<Appearance>) => onChange({ appearance: { ...appearance, ...changes } })
  const props: AppearanceProps = { appearance, errorOf, change }
  return (
    <Card title="Appearance">
      <div class="stack">
        {draft.type === 'widget' && <WidgetFields {...props} />}
        {draft.type !== 'external_survey' && (
          <SelectInput
            label="Position"
            value={appearance.position ?? 'right'}
            options={POSITIONS}
            onChange={(position) => change({ position })}
          />
        )}
        <IntroFields {...props} />
        <ThanksFields {...props} />
        {OPTIONS.map(([field, label]) => (
          <Checkbox
            key={field}
            label={label}
            value={appearance[field]}
            onChange={(isOn) => change({ [field]: isOn })}
          />
        ))}
        <div class={styles.pair}>
          <TextInput
            label="Label of all submit buttons"
            placeholder="Submit"
            error={errorOf('appearance.submitButtonText')}
            value={appearance.submitButtonText}
            onChange={(submitButtonText) => change({ submitButtonText })}
          />
          <TextInput
            label="Placeholder of text fields"
            placeholder="Start typing..."
            error={errorOf('appearance.placeholder')}
            value={appearance.placeholder}
            onChange={(placeholder) => change({ placeholder })}
          />
        </div>
        <ColorFields {...props} />
      </div>
    </Card>
  )
}

const WidgetFields = ({ appearance, errorOf, change }: AppearanceProps) => (
  <div class={styles.pair}>
    <SelectInput
      label="Opened by"
      value={appearance.widgetType ?? 'tab'}
      options={WIDGETS}
      onChange={(widgetType) => change({ widgetType })}
    />
    {appearance.widgetType === 'selector' ? (
      <TextInput
        label="Selector of the element"
        error={errorOf('appearance.widgetSelector')}
        value={appearance.widgetSelector}
        onChange={(widgetSelector) => change({ widgetSelector })}
      />
    ) : (
      <TextInput
        label="Label of the widget"
        placeholder="Feedback"
        error={errorOf('appearance.widgetLabel')}
        value={appearance.widgetLabel}
        onChange={(widgetLabel) => change({ widgetLabel })}
      />
    )}
    {(appearance.widgetType ?? 'tab') === 'tab' && (
      <SelectInput
        label="Place of the tab"
        value={appearance.tabPosition ?? 'right'}
        options={TABS}
        onChange={(tabPosition) => change({ tabPosition })}
      />
    )}
  </div>
)

const IntroFields = ({ appearance, errorOf, change }: AppearanceProps) => (
  <>
    <Checkbox
      label="Introduce the survey before its first question"
      value={appearance.displayIntroScreen}
      onChange={(displayIntroScreen) => change({ displayIntroScreen })}
    />
    {appearance.displayIntroScreen && (
      <>
        <div class={styles.pair}>
          <TextInput
            label="Introduction"
            error={errorOf('appearance.introScreenHeader')}
            value={appearance.introScreenHeader}
            onChange={(introScreenHeader) => change({ introScreenHeader })}
          />
          <TextInput
            label="Button of the introduction"
            placeholder="Get started"
            error={errorOf('appearance.introScreenButtonText')}
            value={appearance.introScreenButtonText}
            onChange={(introScreenButtonText) => change({ introScreenButtonText })}
          />
        </div>
        <TextArea
          label="Description of the introduction"
          error={errorOf('appearance.introScreenDescription')}
          value={appearance.introScreenDescription}
          onChange={(introScreenDescription) =>
            change({ introScreenDescription, introScreenDescriptionContentType: 'text' })
          }
        />
      </>
    )}
  </>
)

const ThanksFields = ({ appearance, errorOf, change }: AppearanceProps) => (
  <>
    <Checkbox
      label="Thank people at the end"
      value={appearance.displayThankYouMessage}
      onChange={(displayThankYouMessage) => change({ displayThankYouMessage })}
    />
    {appearance.displayThankYouMessage && (
      <>
        <TextInput
          label="Thank-you message"
          error={errorOf('appearance.thankYouMessageHeader')}
          value={appearance.thankYouMessageHeader}
          onChange={(thankYouMessageHeader) => change({ thankYouMessageHeader })}
        />
        <TextArea
          label="Description of the thank-you message"
          error={errorOf('appearance.thankYouMessageDescription')}
          value={appearance.thankYouMessageDescription}
          onChange={(thankYouMessageDescription) =>
            change({ thankYouMessageDescription, thankYouMessageDescriptionContentType: 'text' })
          }
        />
        <Checkbox
          label="Close the thank-you message after 5 seconds"
          value={appearance.autoDisappear}
          onChange={(autoDisappear) => change({ autoDisappear })}
        />
      </>
    )}
  </>
)

const ColorFields = ({ appearance, errorOf, change }: AppearanceProps) => (
  <details>
    <summary>Colors</summary>
    <p class="small muted">
      Such as #1d4ed8, navy or rgb(29, 78, 216). Without colors, the survey follows the visitor’s light or dark theme.
    </p>
    <div class={styles.branches}>
      {COLORS.map(([field, label]) => (
        <TextInput
          key={field}
          label={label}
          error={errorOf(`appearance.${field}`)}
          value={appearance[field]}
          onChange={(color) => change({ [field]: color })}
        />
      ))}
    </div>
  </details>
)
