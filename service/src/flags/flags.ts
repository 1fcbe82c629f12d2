import type { TimeSlices } from '../lib/timeSlices.ts'
import { uuidv7 } from '../lib/uuid.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import { evaluateFlags, type Flag } from './evaluate.ts'
import type { ModuleFlags } from './flagSource.ts'
import type { FlagQuota } from './quota.ts'
import type { RemoteConfigs } from './remoteConfig.ts'
import { familyOf, type FlagsRequest, subjectOf, withStored } from './subject.ts'
import { own } from '../lib/own.ts'

export type { FlagsRequest } from './subject.ts'

export interface FlagsCall {
  readonly project: { readonly id: number; readonly token: string }
  readonly request: FlagsRequest
  /** Whether the response includes remote config. */
  readonly withConfig: boolean
  /** Version of the response. 2 has `flags`, earlier ones also have the older fields. */
  readonly version: number
  /** Whether only the flags that surveys depend on are evaluated. */
  readonly isForSurveys?: boolean
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

const stringsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string' && each.trim() !== '')
    : undefined

/** Returns the active flags in the requested contexts and, if the request names keys, with these keys. */
const wantedOf = (all: ReadonlyMap<string, Flag>, request: FlagsRequest): Flag[] => {
  const contexts = stringsOf(request.evaluation_contexts ?? request.evaluation_environments) ?? []
  const keys = stringsOf(request.flag_keys_to_evaluate ?? request.flag_keys)
  return [...all.values()].filter(
    (flag) =>
      flag.isActive &&
      (!flag.contexts.length || !contexts.length || flag.contexts.some((context) => contexts.includes(context))) &&
      (!keys || keys.includes(flag.key)),
  )
}

export interface FlagsDependencies {
  readonly definitions: Pick<FlagDefinitions, 'byKey'>
  readonly remoteConfigs: RemoteConfigs
  /** Flags of modules, which have no definitions, and the keys of the definitions that they depend on. */
  readonly moduleFlags: (projectId: number) => Promise<ModuleFlags>
  readonly stored: StoredProperties
  readonly hasQuota: FlagQuota
  readonly slices: TimeSlices
  /** Called when flags were evaluated for a project. */
  readonly onEvaluated: (projectId: number) => void
}

/**
 * Handles `/flags`: returns each flag with its value and reason, evaluated on the request's and the stored properties. Returns no flags if
 * the project has exceeded its quota. Clients then keep their current values.
 */
export const createFlagsHandler =
  ({ definitions, remoteConfigs, moduleFlags, stored, hasQuota, slices, onEvaluated }: FlagsDependencies) =>
  async ({ project, request, withConfig, version, isForSurveys, receivedAt, signal }: FlagsCall) => {
    const wantsFlags = request.disable_flags !== true
    const isOverQuota = wantsFlags && !hasQuota(project.id)
    const [defined, { own, linked }] = await Promise.all([definitions.byKey(project.id), moduleFlags(project.id)])
    const ofModules = new Map(own.map((flag) => [flag.key, flag]))
    const all = ofModules.size ? new Map([...defined, ...ofModules]) : defined
    const isWanted = ({ key }: Flag) => !isForSurveys || ofModules.has(key) || linked.has(key)
    const wanted = wantsFlags && !isOverQuota ? wantedOf(all, request).filter(isWanted) : []
    const evaluations = wanted.length
      ? await evaluateFlags(
          all,
          wanted,
          await withStored(subjectOf(request, receivedAt), familyOf(wanted, all), {
            projectId: project.id,
            stored,
            signal,
          }),
          () => slices.next(String(project.id)),
        )
      : []
    if (wanted.some(({ key }) => !ofModules.has(key))) onEvaluated(project.id)
    const evaluated = evaluations.filter(({ failed }) => !failed)
    return {
      flags: Object.fromEntries(evaluations.map((each) => [each.key, each])),
      ...(version < 2
        ? {
            featureFlags: Object.fromEntries(evaluated.map(({ key, enabled, variant }) => [key, variant ?? enabled])),
            featureFlagPayloads: Object.fromEntries(
              evaluated.flatMap(({ key, metadata }) => (metadata.payload === null ? [] : [[key, metadata.payload]])),
            ),
          }
        : {}),
      errorsWhileComputingFlags: evaluated.length < evaluations.length,
      quotaLimited: isOverQuota ? ['feature_flags'] : [],
      requestId: uuidv7(receivedAt),
      evaluatedAt: receivedAt,
      ...(withConfig ? await remoteConfigs.of(project) : {}),
    }
  }

export type FlagsHandler = ReturnType<typeof createFlagsHandler>

/**
 * Converts to the response of `/decide`, the predecessor of `/flags`. Version 1 lists the enabled flags, version 2
 * adds values, version 3 adds payloads.
 */
export const toDecideResponse = (
  { flags, featureFlags = {}, featureFlagPayloads = {}, ...rest }: Awaited<ReturnType<FlagsHandler>>,
  version: number,
) => ({
  ...rest,
  ...(version >= 4 ? { flags } : {}),
  featureFlags:
    version >= 2 ? featureFlags : Object.keys(featureFlags).filter((key) => own(featureFlags, key) !== false),
  ...(version >= 3 ? { featureFlagPayloads } : {}),
})
