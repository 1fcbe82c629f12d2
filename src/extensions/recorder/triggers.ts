import type { RecorderParts } from '../../host'
import type { CapturedEvent, FlagValue } from '../../types'
import type { ExtensionHost } from '../contract'
import { type Facts, type Group, isInSample, type Trigger } from './decide'
import { type RemoteGroup, type RemoteSettings, rateOf, urlMatcher } from './settings'
import type { Tab } from './tabState'

const SAMPLED = '$session_is_sampled'
const BY_URL = '$session_recording_url_trigger_activated_session'
const BY_EVENT = '$session_recording_event_trigger_activated_session'

interface Override {
  sampling?: unknown
  linked_flag?: unknown
  url_trigger?: unknown
  event_trigger?: unknown
}

const ALL: Override = { sampling: true, linked_flag: true, url_trigger: true, event_trigger: true }

const toOverride = (value: unknown): Override =>
  value === true ? ALL : typeof value === 'object' && value ? value : {}

/**
 * Follows what decides whether a session is recorded: its sample, its triggers, and overrides. What has activated a session is stored with its id,
 * so that it counts for its other pages. `remote`: the settings that apply.
 */
export const createTriggers = (host: ExtensionHost & RecorderParts, remote: RemoteSettings, tab: Tab) => {
  const { config, store } = host
  const onInvalid = (pattern: string) =>
    host.log.error(`sessionRecording has an invalid URL pattern: ${pattern}. It is ignored`)
  const isTriggerUrl = urlMatcher(remote.urlTriggers, onInvalid)
  const isBlockedUrl = urlMatcher(remote.urlBlocklist, onInvalid)
  const groups = (remote.triggerGroups ?? []).map((group) => ({
    ...group,
    isUrl: urlMatcher(group.conditions?.urls ?? [], onInvalid),
  }))
  const rate = rateOf(config.session_recording.sampleRate) ?? rateOf(remote.sampleRate)
  /** Conditions of groups that the session has met, as `group event` and `group url`. */
  let met: { sessionId: string; conditions: Set<string> } | undefined

  const ids = () => [host.session.current() ?? '', host.session.windowId()] as const
  const override = (): Override => {
    const [sessionId, windowId] = ids()
    const state = tab.read(sessionId, windowId)
    const called = host.override()
    if (called !== undefined && state.override !== called) tab.write({ ...state, override: called })
    return toOverride(called ?? state.override)
  }
  const metBy = (sessionId: string) => {
    if (met?.sessionId !== sessionId) met = { sessionId, conditions: new Set() }
    return met.conditions
  }
  const flagIsOn = (linked: RemoteSettings['linkedFlag']): boolean => {
    const { flag, variant } = typeof linked === 'string' ? { flag: linked, variant: undefined } : linked!
    const values: Record<string, FlagValue> = {
      ...(store.get('$enabled_feature_flags') ?? config.bootstrap.featureFlags),
      ...store.get<Record<string, FlagValue>>('$override_feature_flags'),
    }
    const value = values[flag]
    return variant && variant !== 'any' ? value === variant : !!value
  }
  const trigger = (isConfigured: unknown, isActive: boolean): Trigger =>
    isConfigured ? (isActive ? 'activated' : 'pending') : 'off'
  const activate = (key: string, sessionId: string) => {
    if (store.get(key) !== sessionId) store.set({ [key]: sessionId })
  }
  const sampleOf = (sessionId: string, wanted: Override): boolean | undefined => {
    if (wanted.sampling) return true
    if (rate === undefined) {
      if (store.get(SAMPLED)) store.set({ [SAMPLED]: undefined })
      return undefined
    }
    const stored = store.get<string>(SAMPLED)
    // Decided once for a session, even if the rate changes.
    const isIn = stored === sessionId || (stored !== `!${sessionId}` && isInSample(sessionId, rate))
    activate(SAMPLED, isIn ? sessionId : `!${sessionId}`)
    return isIn
  }
  const groupOf = ({ id, sampleRate, conditions, isUrl }: (typeof groups)[number], sessionId: string): Group => {
    const conditionsMet = metBy(sessionId)
    if (isUrl(location.href)) conditionsMet.add(`${id} url`)
    const states = [
      trigger(conditions.events?.length, conditionsMet.has(`${id} event`)),
      trigger(conditions.urls?.length, conditionsMet.has(`${id} url`)),
      trigger(conditions.flag, !!conditions.flag && flagIsOn(conditions.flag)),
    ].filter((each) => each !== 'off')
    const isActive = (each: Trigger) => each === 'activated'
    const isMet = conditions.matchType === 'all' ? states.every(isActive) : !states.length || states.some(isActive)
    return { trigger: trigger(true, isMet), isSampled: isInSample(`${sessionId}${id}`, rateOf(sampleRate) ?? 1) }
  }
  const hasEvent = (group: RemoteGroup, name: string) => group.conditions?.events?.some((each) => each.name === name)

  return {
    onCaptured: ({ event }: CapturedEvent): void => {
      const [sessionId] = ids()
      if (remote.eventTriggers?.includes(event)) activate(BY_EVENT, sessionId)
      for (const group of groups) if (hasEvent(group, event)) metBy(sessionId).add(`${group.id} event`)
    },
    /** Returns the facts of the current session, and the state of each trigger. */
    facts: (): Pick<Facts, 'isBlocked' | 'isSampled' | 'triggers' | 'match' | 'groups'> &
      Record<'url' | 'event' | 'flag', Trigger> => {
      const [sessionId] = ids()
      const wanted = override()
      if (remote.urlTriggers?.length && (wanted.url_trigger || isTriggerUrl(location.href))) activate(BY_URL, sessionId)
      if (remote.eventTriggers?.length && wanted.event_trigger) activate(BY_EVENT, sessionId)
      const url = trigger(remote.urlTriggers?.length, store.get(BY_URL) === sessionId)
      const event = trigger(remote.eventTriggers?.length, store.get(BY_EVENT) === sessionId)
      const flag = trigger(
        remote.linkedFlag,
        !!wanted.linked_flag || (!!remote.linkedFlag && flagIsOn(remote.linkedFlag)),
      )
      return {
        isBlocked: isBlockedUrl(location.href),
        isSampled: sampleOf(sessionId, wanted),
        triggers: [url, event, flag],
        match: remote.triggerMatchType === 'all' ? 'all' : 'any',
        groups:
          remote.version === 2 && groups.length && wanted !== ALL
            ? groups.map((each) => groupOf(each, sessionId))
            : undefined,
        url,
        event,
        flag,
      }
    },
    /** The minimum duration of a session that is sent, ms. */
    minimumMs: (): number => {
      const own = config.session_recording.minimumDurationMilliseconds
      return Math.max(own ?? 0, remote.minimumDurationMilliseconds ?? 0)
    },
  }
}

export type Triggers = ReturnType<typeof createTriggers>
