import { Card } from '../../ui/pageHead.tsx'
import { Checkbox, NumberInput, SelectInput, TextInput } from '../../ui/inputs.tsx'
import { ActionFields } from './actionFields.tsx'
import { EventFields } from './eventFields.tsx'
import { FlagFields } from './flagFields.tsx'
import type { Conditions, SurveyDraft } from './surveyApi.ts'
import type { DraftProps } from './draftProps.ts'
import styles from './surveys.module.css'

const URL_MATCHES: readonly (readonly [NonNullable<Conditions['urlMatchType']>, string])[] = [
  ['icontains', 'contains'],
  ['not_icontains', 'does not contain'],
  ['exact', 'is'],
  ['is_not', 'is not'],
  ['regex', 'matches the regular expression'],
  ['not_regex', 'does not match the regular expression'],
]

const SCHEDULES: readonly (readonly [NonNullable<SurveyDraft['schedule']>, string])[] = [
  ['once', 'Once'],
  ['recurring', 'Several times'],
  ['always', 'Whenever the conditions hold'],
]

const DEVICES = ['Desktop', 'Mobile', 'Tablet'] as const

/** Who is asked, where and how often. */
export const ConditionFields = (props: DraftProps) => {
  const { draft, errorOf, onChange } = props
  return (
    <Card title="Who, where and how often">
      <div class="stack">
        {draft.type === 'external_survey' ? (
          <>
            <p class="muted">Everyone who has the URL of a hosted survey can answer it.</p>
            <Checkbox
              label="Pages of other sites may show it in a frame"
              value={draft.enable_iframe_embedding}
              onChange={(enable_iframe_embedding) => onChange({ enable_iframe_embedding })}
            />
          </>
        ) : (
          <PageConditions {...props} />
        )}
        <NumberInput
          label="Stop after this many answers"
          hint="Empty: it runs until you stop it."
          min={1}
          error={errorOf('responses_limit')}
          value={draft.responses_limit}
          onChange={(responses_limit) => onChange({ responses_limit })}
        />
        <Checkbox
          label="Keep answers of people who do not finish"
          value={draft.enable_partial_responses}
          onChange={(enable_partial_responses) => onChange({ enable_partial_responses })}
        />
      </div>
    </Card>
  )
}

const PageConditions = (props: DraftProps) => {
  const { draft, errorOf, onChange } = props
  const conditions = draft.conditions ?? {}
  const change = (changes: Partial<Conditions>) => onChange({ conditions: { ...conditions, ...changes } })
  const devices = conditions.deviceTypes ?? []
  return (
    <>
      <div class={styles.pair}>
        <SelectInput
          label="The page’s URL"
          value={conditions.urlMatchType ?? 'icontains'}
          options={URL_MATCHES}
          onChange={(urlMatchType) => change({ urlMatchType })}
        />
        <TextInput
          label="URL, or a part of it"
          hint="Empty: every page."
          error={errorOf('conditions.url')}
          value={conditions.url}
          onChange={(url) => change({ url })}
        />
      </div>
      <TextInput
        label="The page has an element"
        hint="A CSS selector. Leave empty for any page."
        error={errorOf('conditions.selector')}
        value={conditions.selector}
        onChange={(selector) => change({ selector })}
      />
      <TriggerFields conditions={conditions} errorOf={errorOf} change={change} />
      <fieldset class={styles.devices}>
        <legend class="field-label">Devices</legend>
        <div class="row">
          {DEVICES.map((device) => (
            <Checkbox
              key={device}
              label={device}
              value={!devices.length || devices.includes(device)}
              onChange={(isOn) => {
                const before: readonly string[] = devices.length ? devices : DEVICES
                const next = DEVICES.filter((each) => (each === device ? isOn : before.includes(each)))
                change({ deviceTypes: next.length === DEVICES.length ? [] : next, deviceTypesMatchType: 'exact' })
              }}
            />
          ))}
        </div>
      </fieldset>
      <FlagFields {...props} />
      <Schedule {...props} />
      <div class={styles.pair}>
        <NumberInput
          label="Minimum days since any other survey"
          hint="In the same browser. Leave empty to ask at any time."
          error={errorOf('conditions.seenSurveyWaitPeriodInDays')}
          value={conditions.seenSurveyWaitPeriodInDays}
          onChange={(seenSurveyWaitPeriodInDays) => change({ seenSurveyWaitPeriodInDays })}
        />
        <NumberInput
          label="Seconds to wait before showing"
          error={errorOf('appearance.surveyPopupDelaySeconds')}
          value={draft.appearance?.surveyPopupDelaySeconds}
          onChange={(surveyPopupDelaySeconds) =>
            onChange({ appearance: { ...draft.appearance, surveyPopupDelaySeconds } })
          }
        />
      </div>
    </>
  )
}

const TriggerFields = ({
  conditions,
  errorOf,
  change,
}: {
  readonly conditions: Conditions
  readonly errorOf: DraftProps['errorOf']
  readonly change: (changes: Partial<Conditions>) => void
}) => {
  const { events, cancelEvents, actions } = conditions
  const errorWithin = (path: string) => errorOf(path, { isWithin: true })
  return (
    <>
      <EventFields
        title="After an event"
        path="conditions.events.values"
        events={events?.values ?? []}
        errorOf={errorWithin}
        onChange={(values) => change({ events: { ...events, values } })}
      />
      {events && events.values.length > 0 && (
        <Checkbox
          label="Show again after each of these events"
          value={events.repeatedActivation}
          onChange={(repeatedActivation) => change({ events: { ...events, repeatedActivation } })}
        />
      )}
      <ActionFields
        actions={actions?.values ?? []}
        errorOf={errorOf}
        onChange={(values) => change({ actions: { values } })}
      />
      <EventFields
        title="Not after an event"
        path="conditions.cancelEvents.values"
        events={cancelEvents?.values ?? []}
        errorOf={errorWithin}
        onChange={(values) => change({ cancelEvents: { values } })}
      />
    </>
  )
}

const Schedule = ({ draft, errorOf, onChange }: DraftProps) => (
  <>
    <SelectInput
      label="How often a person is asked"
      value={draft.schedule ?? 'once'}
      options={SCHEDULES}
      onChange={(schedule) => onChange({ schedule })}
    />
    {draft.schedule === 'recurring' && (
      <div class={styles.pair}>
        <NumberInput
          label="Iterations"
          min={1}
          error={errorOf('iteration_count')}
          value={draft.iteration_count}
          onChange={(iteration_count) => onChange({ iteration_count })}
        />
        <NumberInput
          label="Days between iterations"
          min={1}
          error={errorOf('iteration_frequency_days')}
          value={draft.iteration_frequency_days}
          onChange={(iteration_frequency_days) => onChange({ iteration_frequency_days })}
        />
      </div>
    )}
  </>
)
