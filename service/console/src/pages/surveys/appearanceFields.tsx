import { Card } from '../../ui/pageHead.tsx'
import { Checkbox, SelectInput, TextArea, TextInput } from '../../ui/inputs.tsx'
import type { Appearance } from './surveyApi.ts'
import type { DraftProps } from './surveyEditor.tsx'
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

/** How a survey looks, and what it says at its end. */
export const AppearanceFields = ({ draft, errorOf, onChange }: DraftProps) => {
  const appearance = draft.appearance ?? {}
  const change = (changes: Partial<Appearance>) => onChange({ appearance: { ...appearance, ...changes } })
  return (
    <Card title="Appearance">
      <div class="stack">
        {draft.type === 'widget' && (
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
                label="Its label"
                placeholder="Feedback"
                value={appearance.widgetLabel}
                onChange={(widgetLabel) => change({ widgetLabel })}
              />
            )}
          </div>
        )}
        {draft.type !== 'external_survey' && (
          <SelectInput
            label="Position"
            value={appearance.position ?? 'right'}
            options={POSITIONS}
            onChange={(position) => change({ position })}
          />
        )}
        <Checkbox
          label="Thank people at the end"
          value={appearance.displayThankYouMessage}
          onChange={(displayThankYouMessage) => change({ displayThankYouMessage })}
        />
        {appearance.displayThankYouMessage && (
          <>
            <TextInput
              label="Thanks"
              value={appearance.thankYouMessageHeader}
              onChange={(thankYouMessageHeader) => change({ thankYouMessageHeader })}
            />
            <TextArea
              label="More after the thanks"
              value={appearance.thankYouMessageDescription}
              onChange={(thankYouMessageDescription) =>
                change({ thankYouMessageDescription, thankYouMessageDescriptionContentType: 'text' })
              }
            />
          </>
        )}
        <Checkbox
          label="Let people go back"
          value={appearance.allowGoBack}
          onChange={(allowGoBack) => change({ allowGoBack })}
        />
        <details>
          <summary>Colors</summary>
          <p class="small muted">
            Such as #1d4ed8, navy or rgb(29, 78, 216). Without colors, the survey follows the visitor’s light or dark
            theme.
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
      </div>
    </Card>
  )
}
