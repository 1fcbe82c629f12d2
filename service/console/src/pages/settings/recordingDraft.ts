import type { RemoteConfig } from './useRemoteConfig.ts'

type Recording = RemoteConfig['sessionRecording']
type RecordingConfig = Exclude<Recording, boolean>
type Group = NonNullable<RecordingConfig['triggerGroups']>[number]
type Urls = NonNullable<RecordingConfig['urlTriggers']>
type Rate = RecordingConfig['sampleRate']

/**
 * Settings that decide whether a session is recorded. Numbers and lists are strings, as typed; a list has one value per
 * line.
 */
export interface TriggersDraft {
  readonly percent: string
  readonly minSeconds: string
  readonly match: 'any' | 'all'
  readonly urls: string
  readonly events: string
  readonly flag: string
  readonly variant: string
}

export interface GroupDraft extends TriggersDraft {
  readonly id: string
  readonly name: string
}

/** Form state of the recording settings. */
export interface RecordingDraft extends TriggersDraft {
  readonly isOn: boolean
  readonly blockedUrls: string
  readonly groups: readonly GroupDraft[]
  readonly masksInputs: boolean
  readonly masksAttributes: boolean
  readonly maskSelector: string
  readonly blockSelector: string
  readonly recordsConsole: boolean
  readonly allowsHeaders: boolean
  readonly allowsBodies: boolean
  readonly allowsCanvas: boolean
}

/** Returns the non-empty lines of a string. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const percentOf = (rate: Rate): string =>
  rate === undefined || rate === null ? '' : String(Number((100 * Number(rate)).toFixed(4)))
const secondsOf = (ms: number | null | undefined): string => (ms ? String(ms / 1_000) : '')
const urlLines = (urls: Urls | undefined): string => (urls ?? []).map(({ url }) => url).join('\n')
const flagOf = (flag: RecordingConfig['linkedFlag']): Pick<TriggersDraft, 'flag' | 'variant'> =>
  typeof flag === 'object' && flag
    ? { flag: flag.flag, variant: flag.variant ?? '' }
    : { flag: flag ?? '', variant: '' }

const toGroupDraft = ({ id, name = '', sampleRate, minDurationMs, conditions = {} }: Group): GroupDraft => ({
  id,
  name,
  percent: percentOf(sampleRate),
  minSeconds: secondsOf(minDurationMs),
  match: conditions.matchType ?? 'any',
  urls: urlLines(conditions.urls),
  events: (conditions.events ?? []).map((event) => event.name).join('\n'),
  ...flagOf(conditions.flag),
})

/** Returns the form state of the settings. */
export const toDraft = (recording: Recording): RecordingDraft => {
  const config: RecordingConfig = typeof recording === 'object' ? recording : {}
  return {
    isOn: recording !== false,
    percent: percentOf(config.sampleRate),
    minSeconds: secondsOf(config.minimumDurationMilliseconds),
    match: config.triggerMatchType ?? 'any',
    urls: urlLines(config.urlTriggers),
    events: (config.eventTriggers ?? []).join('\n'),
    ...flagOf(config.linkedFlag),
    blockedUrls: urlLines(config.urlBlocklist),
    groups: (config.triggerGroups ?? []).map(toGroupDraft),
    masksInputs: config.masking?.maskAllInputs ?? false,
    masksAttributes: config.masking?.maskAllElementAttributes ?? false,
    maskSelector: config.masking?.maskTextSelector ?? '',
    blockSelector: config.masking?.blockSelector ?? '',
    recordsConsole: config.consoleLogRecordingEnabled ?? false,
    allowsHeaders: config.networkPayloadCapture?.recordHeaders ?? true,
    allowsBodies: config.networkPayloadCapture?.recordBody ?? true,
    allowsCanvas: config.recordCanvas ?? true,
  }
}

const rateOf = (percent: string): number | undefined =>
  percent.trim() ? Number((Number(percent) / 100).toFixed(6)) : undefined
const msOf = (seconds: string): number | undefined => (seconds.trim() ? Math.round(Number(seconds) * 1_000) : undefined)
const urlsOf = (text: string): Urls | undefined => {
  const urls = linesOf(text).map((url) => ({ url, matching: 'regex' as const }))
  return urls.length ? urls : undefined
}
const linkedFlagOf = ({ flag, variant }: TriggersDraft) =>
  flag.trim() ? { flag: flag.trim(), ...(variant.trim() ? { variant: variant.trim() } : {}) } : undefined

/** JSON has no `undefined`. */
const withoutUndefined = <Value extends object>(value: { [Key in keyof Value]: Value[Key] | undefined }): Value =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value

const toGroup = (draft: GroupDraft, saved: Group | undefined): Group => {
  const events = linesOf(draft.events)
  // The form has no properties. Those of a stored event stay.
  const toEvent = (name: string) => saved?.conditions?.events?.find((event) => event.name === name) ?? { name }
  return withoutUndefined<Group>({
    id: draft.id,
    name: draft.name.trim() || undefined,
    sampleRate: rateOf(draft.percent),
    minDurationMs: msOf(draft.minSeconds),
    conditions: withoutUndefined<NonNullable<Group['conditions']>>({
      ...saved?.conditions,
      matchType: draft.match,
      events: events.length ? events.map(toEvent) : undefined,
      urls: urlsOf(draft.urls),
      flag: linkedFlagOf(draft),
    }),
  })
}

/** Returns what the API stores for a form. Members of `saved` that the form does not have stay. */
export const toRecording = (draft: RecordingDraft, saved: Recording): Recording => {
  if (!draft.isOn) return false
  const before: RecordingConfig = typeof saved === 'object' ? saved : {}
  const events = linesOf(draft.events)
  const groups = draft.groups.map((group) =>
    toGroup(
      group,
      before.triggerGroups?.find(({ id }) => id === group.id),
    ),
  )
  return withoutUndefined<RecordingConfig>({
    ...before,
    sampleRate: rateOf(draft.percent),
    minimumDurationMilliseconds: msOf(draft.minSeconds),
    triggerMatchType: draft.match,
    urlTriggers: urlsOf(draft.urls),
    eventTriggers: events.length ? events : undefined,
    linkedFlag: linkedFlagOf(draft),
    urlBlocklist: urlsOf(draft.blockedUrls),
    version: groups.length ? 2 : undefined,
    triggerGroups: groups.length ? groups : undefined,
    masking: withoutUndefined<NonNullable<RecordingConfig['masking']>>({
      maskAllInputs: draft.masksInputs || undefined,
      maskAllElementAttributes: draft.masksAttributes || undefined,
      maskTextSelector: draft.maskSelector.trim() || undefined,
      blockSelector: draft.blockSelector.trim() || undefined,
    }),
    consoleLogRecordingEnabled: draft.recordsConsole,
    networkPayloadCapture:
      draft.allowsHeaders && draft.allowsBodies
        ? undefined
        : { recordHeaders: draft.allowsHeaders, recordBody: draft.allowsBodies },
    recordCanvas: draft.allowsCanvas ? undefined : false,
  })
}
