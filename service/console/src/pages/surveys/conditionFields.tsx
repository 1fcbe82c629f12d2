import { api, ask } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Checkbox, NumberInput, SelectInput, TextInput } from '../../ui/inputs.tsx'
import type { Conditions, SurveyDraft } from './surveyApi.ts'
import type { DraftProps } from './surveyEditor.tsx'
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
      <div class={styles.pair}>
        <TextInput
          label="The page has an element"
          hint="A CSS selector. Leave empty for any page."
          error={errorOf('conditions.selector')}
          value={conditions.selector}
          onChange={(selector) => change({ selector })}
        />
        <TextInput
          label="After the event"
          hint="Name of an event in the same session. Empty: without one."
          value={conditions.events?.values[0]?.name}
          onChange={(name) =>
            change({
              events: name ? { ...conditions.events, values: [{ ...conditions.events?.values[0], name }] } : null,
            })
          }
        />
      </div>
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
      <FlagField {...props} />
      <Schedule {...props} />
      <div class={styles.pair}>
        <NumberInput
          label="Days since any other survey"
          hint="In the same browser. Leave empty to ask at any time."
          error={errorOf('conditions.seenSurveyWaitPeriodInDays')}
          value={conditions.seenSurveyWaitPeriodInDays}
          onChange={(seenSurveyWaitPeriodInDays) => change({ seenSurveyWaitPeriodInDays })}
        />
        <NumberInput
          label="Seconds to wait"
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

const FlagField = ({ draft, errorOf, onChange }: DraftProps) => {
  const { id } = useProject()
  const { data } = useLoad(`flags ${id}`, ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/feature_flags', { params: inProject(id), signal })),
  )
  const known = data?.results.map(({ key }) => key) ?? []
  const linked = draft.linked_flag_key
  const keys = linked && !known.includes(linked) ? [linked, ...known] : known
  return (
    <SelectInput
      label="Only where this flag is on"
      error={errorOf('linked_flag_key')}
      value={linked ?? ''}
      options={[['', 'No flag'], ...keys.map((key) => [key, key] as const)]}
      onChange={(key) => onChange({ linked_flag_key: key || null })}
    />
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
          label="Times"
          min={1}
          error={errorOf('iteration_count')}
          value={draft.iteration_count}
          onChange={(iteration_count) => onChange({ iteration_count })}
        />
        <NumberInput
          label="Days from one time to the next"
          min={1}
          error={errorOf('iteration_frequency_days')}
          value={draft.iteration_frequency_days}
          onChange={(iteration_frequency_days) => onChange({ iteration_frequency_days })}
        />
      </div>
    )}
  </>
)
