import type { RecorderParts } from '../../host'
import type { CapturedEvent, FlagValue, Properties } from '../../types'
import type { ExtensionHost } from '../contract'
import { meets } from './conditions'
import { type Facts, type Group, isInSample, type Trigger } from './decide'
import { type RemoteGroup, type RemoteSettings, rateOf, urlMatcher } from './settings'

const SAMPLED = '$session_is_sampled'
const RATE = '$replay_sample_rate'
const BY_URL = '$session_recording_url_trigger_activated_session'
const BY_EVENT = '$session_recording_event_trigger_activated_session'
const OVERRIDES = ['sampling', 'linked_flag', 'url_trigger', 'event_trigger'] as const

type Host = ExtensionHost & RecorderParts

const isActive = (trigger: Trigger) => trigger === 'activated'
const triggerOf = (isConfigured: unknown, isMet: boolean): Trigger =>
  isConfigured ? (isMet ? 'activated' : 'pending') : 'off'

const isFlagOn = ({ store, config }: Host, linked: NonNullable<RemoteSettings['linkedFlag']>): boolean => {
  const { flag, variant } = typeof linked === 'string' ? { flag: linked, variant: undefined } : linked
  const values: Record<string, FlagValue> = {
    ...(store.get('$enabled_feature_flags') ?? config.bootstrap.featureFlags),
    ...store.get<Record<string, FlagValue>>('$override_feature_flags'),
  }
  const value = values[flag]
  return variant && variant !== 'any' ? value === variant : !!value
}

/** Follows the groups of triggers: which conditions each has met in the current session. */
const createGroups = (host: Host, all: readonly RemoteGroup[], onInvalid: (pattern: string) => void) => {
  const groups = all.map(({ conditions = {}, ...group }) => ({
    ...group,
    conditions,
    isUrl: urlMatcher(conditions.urls ?? [], onInvalid),
    /** Conditions that the session has met. */
    met: new Set<'event' | 'url' | 'properties'>(),
  }))
  type RunningGroup = (typeof groups)[number]
  let session: string | undefined

  const forSession = (sessionId: string) => {
    if (session !== sessionId) groups.forEach(({ met }) => met.clear())
    session = sessionId
    return groups
  }
  const observe = ({ conditions, met, isUrl }: RunningGroup, properties: Properties, event?: string) => {
    if (isUrl(location.href)) met.add('url')
    if (conditions.properties?.length && meets(conditions.properties, properties)) met.add('properties')
    if (conditions.events?.some((each) => each.name === event && meets(each.properties, properties))) met.add('event')
  }
  const stateOf = (group: RunningGroup, sessionId: string): Group => {
    const { id, sampleRate, minDurationMs, conditions, met } = group
    const { events, urls, flag, properties, matchType } = conditions
    const states = [
      triggerOf(events?.length, met.has('event')),
      triggerOf(urls?.length, met.has('url')),
      triggerOf(properties?.length, met.has('properties')),
      triggerOf(flag, !!flag && isFlagOn(host, flag)),
    ].filter((each) => each !== 'off')
    const isMet = matchType === 'all' ? states.every(isActive) : !states.length || states.some(isActive)
    const isSampled = isInSample(`${sessionId}${id}`, rateOf(sampleRate) ?? 1)
    return { trigger: triggerOf(true, isMet), isSampled, minimumMs: minDurationMs ?? 0 }
  }
  const personProperties = () => host.store.get<Properties>('$stored_person_properties')
  return {
    onCaptured: ({ event, properties }: CapturedEvent, sessionId: string): void =>
      forSession(sessionId).forEach((each) => observe(each, { ...personProperties(), ...properties }, event)),
    states: (sessionId: string): Group[] =>
      forSession(sessionId).map((each) => {
        observe(each, { ...personProperties() })
        return stateOf(each, sessionId)
      }),
  }
}

/**
 * Follows what decides whether a session is recorded: its sample, its triggers, and overrides. What has activated a
 * session is stored with its id, so that it counts for its other pages and tabs. `remote`: the settings that apply.
 */
export const createTriggers = (host: Host, remote: RemoteSettings) => {
  const { config, store } = host
  const onInvalid = (pattern: string) =>
    host.log.error(`sessionRecording has an invalid URL pattern: ${pattern}. It is ignored`)
  const isTriggerUrl = urlMatcher(remote.urlTriggers, onInvalid)
  const isBlockedUrl = urlMatcher(remote.urlBlocklist, onInvalid)
  const groups = remote.version === 2 ? createGroups(host, remote.triggerGroups ?? [], onInvalid) : undefined
  const hasGroups = !!groups && !!remote.triggerGroups?.length
  const rate = rateOf(config.session_recording.sampleRate) ?? rateOf(remote.sampleRate)

  const activate = (key: string, sessionId: string) => {
    if (store.get(key) !== sessionId) store.set({ [key]: sessionId })
  }
  /** Returns the names of the triggers that `startSessionRecording` overrides in this session. */
  const overridesOf = (sessionId: string): Set<string> => {
    const called = host.shared.override as true | Properties | undefined
    host.shared.override = undefined
    for (const name of OVERRIDES) if (called === true || called?.[name]) activate(`$replay_override_${name}`, sessionId)
    return new Set(OVERRIDES.filter((name) => store.get(`$replay_override_${name}`) === sessionId))
  }
  const sampleOf = (sessionId: string, isOverridden: boolean): boolean | undefined => {
    const stored = store.get<string>(SAMPLED)
    const remember = (sample?: string, ofRate?: number) => {
      if (stored !== sample) store.set({ [SAMPLED]: sample, [RATE]: ofRate })
    }
    if (isOverridden) {
      remember(sessionId)
      return true
    }
    if (rate === undefined) {
      remember()
      return undefined
    }
    // Decided once for a session, even if the rate changes.
    const isIn = stored === sessionId || (stored !== `!${sessionId}` && isInSample(sessionId, rate))
    remember(isIn ? sessionId : `!${sessionId}`, rate)
    return isIn
  }

  return {
    onCaptured: (event: CapturedEvent): void => {
      const sessionId = host.sessionId()
      if (remote.eventTriggers?.includes(event.event)) activate(BY_EVENT, sessionId)
      groups?.onCaptured(event, sessionId)
    },
    /** Returns the facts of the current session, the state of each trigger, and the reason for a recording to start. */
    facts: (): Pick<Facts, 'isBlocked' | 'isSampled' | 'triggers' | 'match'> &
      Record<'url' | 'event' | 'flag', Trigger> & { groups?: Group[]; startReason?: string } => {
      const sessionId = host.sessionId()
      const { urlTriggers, eventTriggers, linkedFlag } = remote
      const overrides = overridesOf(sessionId)
      if (urlTriggers?.length && (overrides.has('url_trigger') || isTriggerUrl(location.href)))
        activate(BY_URL, sessionId)
      if (eventTriggers?.length && overrides.has('event_trigger')) activate(BY_EVENT, sessionId)
      const url = triggerOf(urlTriggers?.length, store.get(BY_URL) === sessionId)
      const event = triggerOf(eventTriggers?.length, store.get(BY_EVENT) === sessionId)
      const flag = triggerOf(linkedFlag, overrides.has('linked_flag') || (!!linkedFlag && isFlagOn(host, linkedFlag)))
      const isSampled = sampleOf(sessionId, overrides.has('sampling'))
      const states = hasGroups && overrides.size < OVERRIDES.length ? groups.states(sessionId) : undefined
      const reasons: [isReason: unknown, name: string][] = [
        [overrides.has('sampling'), 'sampling_overridden'],
        [isSampled || states, 'sampled'],
        [overrides.has('linked_flag'), 'linked_flag_overridden'],
        [isActive(flag), 'linked_flag_matched'],
        [isActive(url), 'url_trigger_matched'],
        [isActive(event), 'event_trigger_matched'],
      ]
      return {
        isBlocked: isBlockedUrl(location.href),
        isSampled,
        triggers: [url, event, flag],
        match: remote.triggerMatchType === 'all' ? 'all' : 'any',
        groups: states,
        startReason: reasons.find(([isReason]) => isReason)?.[1],
        url,
        event,
        flag,
      }
    },
  }
}

export type Triggers = ReturnType<typeof createTriggers>
