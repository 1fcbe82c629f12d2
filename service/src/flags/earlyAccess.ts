import { randomUUID } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { FlagDefinitions } from './definitions.ts'
import { type Feature, FEATURES_SETTING, featuresOf, type Stage, STAGES } from './enrollment.ts'
import type { Filters } from './filters.ts'

/** A feature as the API accepts it, or the fields of an update. */
export interface FeatureInput {
  readonly name?: string
  readonly description?: string
  readonly stage?: Stage
  readonly documentation_url?: string
  readonly payload?: Readonly<Record<string, unknown>>
  /** The flag that the feature turns on. Absent: a new flag, on only for people who enroll. */
  readonly feature_flag_id?: number
}

export type FeatureView = Readonly<Record<string, unknown>>

export interface EarlyAccess {
  list(projectId: number): Promise<FeatureView[]>
  get(projectId: number, id: string): Promise<FeatureView>
  create(projectId: number, input: FeatureInput & { name: string }): Promise<FeatureView>
  update(projectId: number, id: string, changes: FeatureInput): Promise<FeatureView>
  remove(projectId: number, id: string): Promise<void>
  /**
   * Returns the features in these stages that visitors can enroll in, as SDKs read them
   * (docs/reference/protocol.md#4.9).
   */
  offered(projectId: number, stages: readonly string[]): Promise<FeatureView[]>
}

const toKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')

const fieldsOf = ({
  name,
  description,
  stage,
  documentation_url: documentationUrl,
  payload,
}: FeatureInput): Partial<Feature> =>
  Object.fromEntries(
    Object.entries({ name, description, stage, documentationUrl, payload }).filter(([, value]) => value !== undefined),
  )

export const createEarlyAccess = (metadata: Pick<Metadata, 'settings'>, flags: FlagDefinitions): EarlyAccess => {
  let last: Promise<unknown> = Promise.resolve()

  // One change at a time, because each is a read followed by a write.
  const change = async <T>(
    projectId: number,
    make: (features: readonly Feature[]) => Promise<{ next: readonly Feature[]; result: T }>,
  ): Promise<T> => {
    const done = last.then(async () => {
      const { next, result } = await make(await featuresOf(metadata, projectId))
      await metadata.settings.set(projectId, FEATURES_SETTING, next)
      flags.forget(projectId)
      return result
    })
    last = done.catch(() => {}) // The caller receives the error.
    return done
  }

  const keysOf = async (projectId: number) =>
    new Map((await flags.list(projectId)).map(({ id, key }) => [id as number, key as string]))

  const toView = (
    { id, flagId, name, description, stage, documentationUrl, payload, createdAt }: Feature,
    keys: ReadonlyMap<number, string>,
  ): FeatureView => ({
    id,
    feature_flag: { id: flagId, key: keys.get(flagId) },
    name,
    description,
    stage,
    documentation_url: documentationUrl,
    payload,
    created_at: createdAt,
  })

  const findIn = (features: readonly Feature[], id: string): Feature => {
    const found = features.find((each) => each.id === id)
    if (!found) throw new ApiError('not_found', { detail: 'This project has no early access feature with this id.' })
    return found
  }

  const flagFor = async (
    projectId: number,
    { feature_flag_id: flagId, name }: FeatureInput & { name: string },
    features: readonly Feature[],
  ): Promise<number> => {
    if (flagId === undefined)
      return (
        await flags.create(projectId, { key: toKey(name), name: `Early access: ${name}`, filters: { groups: [] } })
      ).id as number
    const wrong = (detail: string) => new ApiError('invalid_input', { attr: 'feature_flag_id', detail })
    const flag = (await flags.list(projectId)).find(({ id }) => id === flagId)
    if (!flag) throw wrong('This project has no feature flag with this id.')
    if (features.some((each) => each.flagId === flagId))
      throw wrong('Another early access feature uses this flag. Each feature needs its own flag.')
    const { aggregation_group_type: type, aggregation_group_type_index: index } = flag.filters as Filters
    if ((type ?? index ?? undefined) !== undefined)
      throw wrong(
        'This flag is evaluated for groups. An early access feature needs a flag that is evaluated for persons.',
      )
    return flagId
  }

  return {
    async list(projectId) {
      const keys = await keysOf(projectId)
      return (await featuresOf(metadata, projectId)).map((each) => toView(each, keys))
    },
    get: async (projectId, id) => toView(findIn(await featuresOf(metadata, projectId), id), await keysOf(projectId)),
    async create(projectId, input) {
      const made = await change(projectId, async (features) => {
        const flagId = await flagFor(projectId, input, features)
        const feature: Feature = {
          id: randomUUID(),
          flagId,
          name: input.name,
          description: '',
          stage: 'draft',
          documentationUrl: '',
          payload: {},
          createdAt: new Date().toISOString(),
          ...fieldsOf(input),
        }
        return { next: [...features, feature], result: feature }
      })
      return toView(made, await keysOf(projectId))
    },
    async update(projectId, id, changes) {
      const changed = await change(projectId, async (features) => {
        const feature = { ...findIn(features, id), ...fieldsOf(changes) }
        return { next: features.map((each) => (each.id === id ? feature : each)), result: feature }
      })
      return toView(changed, await keysOf(projectId))
    },
    remove: (projectId, id) =>
      change(projectId, async (features) => {
        const feature = findIn(features, id)
        return { next: features.filter((each) => each !== feature), result: undefined }
      }),
    async offered(projectId, stages) {
      const [features, all] = await Promise.all([featuresOf(metadata, projectId), flags.byKey(projectId)])
      const keys = new Map([...all.values()].filter(({ isActive }) => isActive).map(({ id, key }) => [id, key]))
      return features
        .filter(({ stage, flagId }) => STAGES[stage].isOffered && stages.includes(stage) && keys.has(flagId))
        .map(({ id, flagId, name, description, stage, documentationUrl, payload }) => ({
          id,
          name,
          description,
          stage,
          documentationUrl,
          payload,
          flagKey: keys.get(flagId),
        }))
    },
  }
}
