import { type TSchema, Type } from '@sinclair/typebox'
import { mergePatch } from '../lib/mergePatch.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { FlagSource } from './flagSource.ts'
import { ON, ON_OR_OPTIONS, type RemoteSettings } from './remoteSetting.ts'
import { own } from '../lib/own.ts'

type Values = Readonly<Record<string, unknown>>

/** Settings of SDKs (docs/reference/protocol.md#4.7), besides those of modules. By default, a `false` one is off. */
export const SDK_SETTINGS: RemoteSettings = {
  autocapture_opt_out: { schema: ON, byDefault: false },
  captureDeadClicks: { schema: ON, byDefault: false },
  capturePerformance: { schema: ON_OR_OPTIONS, byDefault: false },
  defaultIdentifiedOnly: { schema: ON, byDefault: true },
}

/**
 * Returns the schema of a merge patch: every field may be null, which removes it. Items of lists may not, because lists are replaced as a
 * whole.
 */
const patchOf = (schema: TSchema): TSchema => {
  const { type, enum: values, properties, anyOf } = schema as Readonly<Record<string, unknown>>
  return Type.Unsafe({
    ...schema,
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: [...(anyOf as unknown[]), { type: 'null' }] } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, patchOf(each as TSchema)]),
          ),
        }
      : {}),
  })
}

const objectOf = (rows: RemoteSettings, toSchema: (schema: TSchema) => TSchema): TSchema =>
  Type.Object(Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, toSchema(schema)])), {
    additionalProperties: false,
  })

/** Returns the schema of all settings, and that of their changes by a JSON Merge Patch. */
export const schemasOf = (rows: RemoteSettings): { readonly settings: TSchema; readonly patch: TSchema } => ({
  settings: objectOf(rows, (schema) => schema),
  patch: Type.Unsafe({ ...patchOf(objectOf(rows, (schema) => Type.Optional(schema))), type: 'object' }),
})

export interface RemoteConfigs {
  /** Returns the settings of a project, with defaults. */
  settings(projectId: number): Promise<Values>
  /** Changes settings. Resolves with all of them. Throws `ApiError`. */
  change(projectId: number, changes: Values): Promise<Values>
  /** Returns the configuration as the SDK reads it. */
  of(project: { readonly id: number; readonly token: string }): Promise<Values>
}

/** Creates the configuration of SDKs by the settings in `rows`. `sources`: modules that SDKs load something for. */
export const createRemoteConfigs = (
  { settings }: Pick<Metadata, 'settings'>,
  { byKey }: Pick<FlagDefinitions, 'byKey'>,
  rows: RemoteSettings,
  sources: readonly Pick<FlagSource, 'setting' | 'isUsed'>[],
): RemoteConfigs => {
  const defaults = Object.fromEntries(Object.entries(rows).map(([name, { byDefault }]) => [name, byDefault]))
  const read = async (projectId: number): Promise<Values> => ({
    ...defaults,
    ...((await settings.get(projectId, 'remote_config')) as Values | undefined),
  })
  const forSdk = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, own(rows, name)?.toSdk?.(value) ?? value]))
  return {
    settings: read,
    change: async (projectId, changes) => {
      const before = await read(projectId)
      const changed = new Map<string, unknown>()
      for (const [name, { change, keptIn, byDefault }] of Object.entries(rows)) {
        const wanted = own(changes, name)
        if (!change || !keptIn || wanted === undefined) continue
        const { value, kept } = change(
          own(before, name),
          wanted ?? byDefault,
          (await settings.get(projectId, keptIn)) ?? {},
        )
        changed.set(name, value)
        await settings.set(projectId, keptIn, kept)
      }
      const plain = Object.fromEntries(Object.entries(changes).filter(([name]) => !changed.has(name)))
      const next = { ...defaults, ...(mergePatch(before, plain) as Values), ...Object.fromEntries(changed) }
      await settings.set(projectId, 'remote_config', next)
      return next
    },
    of: async ({ id, token }) => {
      const [values, flags, used] = await Promise.all([
        read(id),
        byKey(id),
        Promise.all(sources.map(({ isUsed }) => isUsed(id))),
      ])
      return {
        token,
        supportedCompression: ['gzip', 'gzip-js', 'base64'],
        hasFeatureFlags: used.includes(true) || [...flags.values()].some(({ isActive }) => isActive),
        elementsChainAsString: true,
        analytics: { endpoint: '/i/v0/e/' },
        ...forSdk(values),
        // SDKs load nothing for a module that the project does not use.
        ...Object.fromEntries(sources.map(({ setting }, index) => [setting, own(values, setting) && used[index]])),
        siteApps: [],
        isAuthenticated: false,
        toolbarParams: {},
      }
    },
  }
}

// Inside a script, `</script` would end the element and U+2028 the string.
const asScript = (value: unknown) =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a script that provides the configuration to the SDK without touching that of other projects. */
export const remoteConfigScript = (config: Readonly<Record<string, unknown>>): string =>
  `(window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{})[${asScript(config.token)}]={config:${asScript(config)},siteApps:[]};\n`
