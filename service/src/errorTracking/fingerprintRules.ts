import { Type } from '@sinclair/typebox'
import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { type CompiledRule, compileRules, type FingerprintRule, GROUP_FIELDS, type GroupField } from './matchRules.ts'

const MAX_RULES = 50
const MAX_PATTERN = 300
const MAX_NAME = 200
const CLOSED = { additionalProperties: false }

const pattern = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_PATTERN, description }))

/** The rules of a project as the API has them. */
export const FINGERPRINT_RULES = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        {
          match: Type.Object(
            {
              type: pattern('Type of the error, such as ChunkLoadError'),
              message: pattern('Message of the error'),
              file: pattern('File of a frame after source maps'),
              function: pattern('Function of a frame after source maps. "file" must match the same frame'),
              handled: Type.Optional(Type.Boolean({ description: 'Whether the page caught the error' })),
            },
            {
              ...CLOSED,
              description: 'Conditions on one error of the chain. "*" stands for any characters, case is ignored',
            },
          ),
          issue: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: MAX_NAME,
              description: 'Name of the issue for all matching exceptions',
            }),
          ),
          group_by: Type.Optional(
            Type.Array(Type.Unsafe<GroupField>({ type: 'string', enum: [...GROUP_FIELDS] }), {
              minItems: 1,
              maxItems: GROUP_FIELDS.length,
              uniqueItems: true,
              description: 'One issue for each combination of these',
            }),
          ),
        },
        CLOSED,
      ),
      { maxItems: MAX_RULES, description: 'The first rule that matches decides' },
    ),
  },
  CLOSED,
)

/** Rules by which a project's exceptions are grouped into issues. */
export interface FingerprintRules {
  /** Returns the rules as stored. */
  get(projectId: number): Promise<FingerprintRule[]>
  /** Replaces the rules. Rejects with `ApiError` if one of them makes no sense. */
  set(projectId: number, rules: readonly FingerprintRule[]): Promise<FingerprintRule[]>
  /** Returns the rules ready for use. Cached briefly. */
  compiled(projectId: number): Promise<readonly CompiledRule[]>
  /** Returns the rules, and the replaced ones, which still group exceptions that arrived before the change. */
  compiledWithReplaced(projectId: number): Promise<readonly CompiledRule[]>
}

// Changes by another process take effect after this time at the latest.
const CACHED_MS = 5_000
const SETTING = 'fingerprint_rules'
const REPLACED = 'replaced_fingerprint_rules'
/** Replaced rules that are kept, the newest ones. */
const MAX_REPLACED = 200

const invalid = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

/** Returns the rules with their fields in one order, so that equal rules have equal text. Throws `ApiError`. */
const checked = (rules: readonly FingerprintRule[]): FingerprintRule[] => {
  const seen = new Map<string, number>()
  return rules.map(({ match, issue, group_by: groupBy }, index) => {
    const { type, message, file, function: name, handled } = match
    const conditions = { type, message, file, function: name, handled }
    const text = JSON.stringify(conditions)
    if (text === '{}')
      throw invalid(
        `rules.${index}.match`,
        `Rule ${index + 1} needs at least one condition: type, message, file, function or handled.`,
      )
    if ((issue === undefined) === (groupBy === undefined))
      throw invalid(`rules.${index}`, `Rule ${index + 1} needs either "issue", the name of one issue, or "group_by".`)
    if (issue !== undefined && !issue.trim())
      throw invalid(`rules.${index}.issue`, `The name of the issue of rule ${index + 1} must not be blank.`)
    const earlier = seen.get(text)
    if (earlier !== undefined)
      throw invalid(
        `rules.${index}.match`,
        `Rule ${earlier + 1} has the same conditions, so rule ${index + 1} would never apply.`,
      )
    seen.set(text, index)
    return {
      match: conditions,
      ...(issue === undefined
        ? { group_by: GROUP_FIELDS.filter((field) => groupBy!.includes(field)) }
        : { issue: issue.trim() }),
    }
  })
}

export const createFingerprintRules = (
  { settings }: Pick<Metadata, 'settings'>,
  now = () => Date.now(),
): FingerprintRules => {
  const cache = new Map<number, { readonly until: number; readonly rules: Promise<readonly CompiledRule[]> }>()

  const read = async (projectId: number, name: string): Promise<FingerprintRule[]> =>
    ((await settings.get(projectId, name)) as FingerprintRule[] | undefined) ?? []
  const get = (projectId: number) => read(projectId, SETTING)

  return {
    get,
    async set(projectId, rules) {
      const next = checked(rules)
      const current = new Set(next.map((rule) => JSON.stringify(rule)))
      const earlier = [...(await get(projectId)), ...(await read(projectId, REPLACED))]
      const replaced = new Map(earlier.map((rule) => [JSON.stringify(rule), rule]))
      const kept = [...replaced].flatMap(([text, rule]) => (current.has(text) ? [] : rule)).slice(0, MAX_REPLACED)
      // Stored before the new rules, so that a crash in between loses no replaced rule.
      await settings.set(projectId, REPLACED, kept)
      await settings.set(projectId, SETTING, next)
      cache.delete(projectId)
      return get(projectId)
    },
    compiled(projectId) {
      const known = cache.get(projectId)
      if (known && known.until > now()) return known.rules
      const rules = get(projectId).then(compileRules)
      cache.set(projectId, { until: now() + CACHED_MS, rules })
      // Failures are not cached.
      rules.catch(() => cache.delete(projectId))
      return rules
    },
    async compiledWithReplaced(projectId) {
      return compileRules([...(await get(projectId)), ...(await read(projectId, REPLACED))])
    },
  }
}
