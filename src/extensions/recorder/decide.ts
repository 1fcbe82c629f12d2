import type { RecordingReason } from '../../types'

/** Recording status of the session, as in `$recording_status`. */
export type Status =
  | 'disabled'
  | 'sampled'
  | 'active'
  | 'buffering'
  | 'paused'
  | 'awaiting_config'
  | 'missing_config'
  | 'rrweb_error'

/** A condition for recording. `off`: none is configured. */
export type Trigger = 'off' | 'pending' | 'activated'

/** A group of triggers with its own sample. */
export interface Group {
  trigger: Trigger
  /** Whether the session is in the group's sample. */
  isSampled: boolean
  /** The minimum duration of its sessions, ms. */
  minimumMs: number
}

/** Everything that decides whether a session is recorded. */
export interface Facts {
  hasFailed: boolean
  /** Whether the project's settings have been received. */
  hasSettings: boolean
  /** Whether the latest request for the settings failed. */
  isUnreachable?: boolean
  isEnabled: boolean
  /** Whether the page's URL is on the blocklist. */
  isBlocked: boolean
  /** Whether the session is in the sample; undefined: all sessions are. */
  isSampled?: boolean
  triggers: readonly Trigger[]
  match: 'any' | 'all'
  /** Replace sample and triggers. */
  groups?: readonly Pick<Group, 'trigger' | 'isSampled'>[]
}

/** `reason`: why nothing is recorded. */
type Rule = readonly [when: (facts: Facts) => boolean, status: Status, reason?: RecordingReason]

const activated = (trigger: Trigger) => trigger === 'activated'
const pending = (trigger: Trigger) => trigger === 'pending'

const ALWAYS: readonly Rule[] = [
  [({ hasFailed }) => hasFailed, 'rrweb_error'],
  [({ hasSettings, isUnreachable }) => !hasSettings && !!isUnreachable, 'missing_config', 'missing_config'],
  [({ hasSettings }) => !hasSettings, 'awaiting_config', 'awaiting_config'],
  [({ isEnabled }) => !isEnabled, 'disabled', 'turned_off_by_service'],
  [({ isBlocked }) => isBlocked, 'paused', 'blocked_url'],
]

/** The rules of each mode, in order: the first that applies decides (docs/reference/protocol.md#14.3). */
export const RULES: Readonly<Record<'any' | 'all' | 'groups', readonly Rule[]>> = {
  any: [
    ...ALWAYS,
    [({ isSampled }) => isSampled === true, 'sampled'],
    [({ triggers }) => triggers.some(activated), 'active'],
    [({ triggers }) => triggers.some(pending), 'buffering', 'trigger'],
    [({ isSampled }) => isSampled === false, 'disabled', 'sampling'],
    [() => true, 'active'],
  ],
  all: [
    ...ALWAYS,
    [({ triggers }) => triggers.some(pending), 'buffering', 'trigger'],
    [({ isSampled }) => isSampled === false, 'disabled', 'sampling'],
    [({ isSampled }) => isSampled === true, 'sampled'],
    [() => true, 'active'],
  ],
  groups: [
    ...ALWAYS,
    [({ groups }) => groups!.some((each) => activated(each.trigger) && each.isSampled), 'sampled'],
    [({ groups }) => groups!.some((each) => pending(each.trigger)), 'buffering', 'trigger'],
    [() => true, 'disabled', 'sampling'],
  ],
}

/** Returns the recording status of the session, and why it is not recorded. */
export const decide = (facts: Facts): [status: Status, reason?: RecordingReason] => {
  const [, status, reason] = RULES[facts.groups ? 'groups' : facts.match].find(([when]) => when(facts))!
  return [status, reason]
}

/** Whether a session is in a sample of this rate, 0 to 1: the same for all SDKs of the protocol. */
export const isInSample = (sessionId: string, rate: number): boolean => {
  let hash = 0
  for (let index = 0; index < sessionId.length; index++) hash = (Math.imul(hash, 31) + sessionId.charCodeAt(index)) | 0
  return Math.abs(hash) % 100 < rate * 100
}
