import { Refusal } from '../lib/refusal.ts'
import { uuidv7 } from '../lib/uuid.ts'
import type { FlagDefinitions } from './definitions.ts'
import { evaluateFlags, type Flag } from './evaluate.ts'
import type { RemoteConfigs } from './remoteConfig.ts'

/** The body of a `/flags` request (protocol.md §4.6), before anything of it is checked. */
export type FlagsQuestion = Readonly<Record<string, unknown>>

export interface FlagsCall {
  readonly project: { readonly id: number; readonly token: string }
  readonly question: FlagsQuestion
  /** Whether the answer also says what the service has turned on. */
  readonly withConfig: boolean
  /** The answer's form: 2 is `flags`; anything earlier also gets the older fields. */
  readonly version: number
  /** ms since the epoch. */
  readonly askedAt: number
}

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
const textsOf = (value: unknown): string[] | undefined => (Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string' && each.trim() !== '') : undefined)

const idOf = ({ distinct_id: id }: FlagsQuestion): string => {
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string' || !text.trim()) throw new Refusal('invalid_input', { attr: 'distinct_id', detail: 'Flags are evaluated for somebody: pass "distinct_id", or "disable_flags": true.' })
  return text
}

/** The flags that a question asks for: active, of its contexts, and of its keys where it names some. */
const wantedOf = (all: ReadonlyMap<string, Flag>, question: FlagsQuestion): Flag[] => {
  const contexts = textsOf(question.evaluation_contexts ?? question.evaluation_environments) ?? []
  const keys = textsOf(question.flag_keys_to_evaluate ?? question.flag_keys)
  return [...all.values()].filter(
    (flag) =>
      flag.isActive &&
      (!flag.contexts.length || !contexts.length || flag.contexts.some((context) => contexts.includes(context))) &&
      (!keys || keys.includes(flag.key)),
  )
}

/** Answers `/flags`: each flag with its value and the reason for it, on the properties that the question brings. */
export const createAnswerFlags =
  ({ definitions, remoteConfigs }: { definitions: Pick<FlagDefinitions, 'byKey'>; remoteConfigs: RemoteConfigs }) =>
  async ({ project, question, withConfig, version, askedAt }: FlagsCall) => {
    const all = await definitions.byKey(project.id)
    const wanted = question.disable_flags === true ? [] : wantedOf(all, question)
    const evaluations = wanted.length
      ? evaluateFlags(all, wanted, {
          distinctId: idOf(question),
          groups: Object.fromEntries(Object.entries(valuesOf(question.groups)).map(([type, key]) => [type, String(key)])),
          personProperties: { distinct_id: question.distinct_id, ...valuesOf(question.person_properties) },
          groupProperties: Object.fromEntries(Object.entries(valuesOf(question.group_properties)).map(([type, properties]) => [type, valuesOf(properties)])),
          now: askedAt,
        })
      : []
    const told = evaluations.filter(({ failed }) => !failed)
    return {
      flags: Object.fromEntries(evaluations.map((each) => [each.key, each])),
      ...(version < 2
        ? {
            featureFlags: Object.fromEntries(told.map(({ key, enabled, variant }) => [key, variant ?? enabled])),
            featureFlagPayloads: Object.fromEntries(told.flatMap(({ key, metadata }) => (metadata.payload === null ? [] : [[key, metadata.payload]]))),
          }
        : {}),
      errorsWhileComputingFlags: told.length < evaluations.length,
      requestId: uuidv7(askedAt),
      evaluatedAt: askedAt,
      ...(withConfig ? await remoteConfigs.of(project) : {}),
    }
  }

export type AnswerFlags = ReturnType<typeof createAnswerFlags>
