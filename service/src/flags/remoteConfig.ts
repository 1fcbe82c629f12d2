import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { mergePatch } from '../lib/mergePatch.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { FlagSource } from './flagSource.ts'
import { changeRecording, RECORDING_CONFIG } from './recordingConfig.ts'

const ON = Type.Boolean()
const ON_OR_OPTIONS = Type.Union([Type.Boolean(), Type.Record(Type.String(), Type.Unknown())])

const OPERATORS = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const
const COMPARISON = Type.Object(
  {
    key: Type.Union([Type.Literal('$exception_types'), Type.Literal('$exception_values')]),
    operator: Type.Union(OPERATORS.map((operator) => Type.Literal(operator))),
    value: Type.Union([
      Type.String({ maxLength: 1_000 }),
      Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 50 }),
    ]),
  },
  { additionalProperties: false },
)
/** Which exceptions browsers drop. */
const ERROR_TRACKING = Type.Object(
  {
    suppressionRules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.Union([Type.Literal('AND'), Type.Literal('OR')]),
            values: Type.Array(COMPARISON, { minItems: 1, maxItems: 20 }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
    captureExtensionExceptions: Type.Optional(ON),
  },
  { additionalProperties: false },
)

/** Features that a project can turn on or off in its visitors' browsers (docs/reference/protocol.md#4.7). */
export const REMOTE_CONFIG = Type.Object(
  {
    autocapture_opt_out: Type.Optional(ON),
    captureDeadClicks: Type.Optional(ON),
    heatmaps: Type.Optional(ON),
    /** `false` turns all surveys off. */
    surveys: Type.Optional(ON),
    sessionRecording: Type.Optional(RECORDING_CONFIG),
    capturePerformance: Type.Optional(ON_OR_OPTIONS),
    autocaptureExceptions: Type.Optional(ON_OR_OPTIONS),
    defaultIdentifiedOnly: Type.Optional(ON),
    errorTracking: Type.Optional(ERROR_TRACKING),
  },
  { additionalProperties: false },
)
export type RemoteSettings = Static<typeof REMOTE_CONFIG>

/** Returns the schema of a merge patch: every field may be null, which removes it. Lists are replaced, so theirs may not. */
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

type Patch<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: Patch<Value[Key]> | null }
    : Value

/** Changes of the settings, as a JSON Merge Patch. */
export type RemotePatch = Patch<RemoteSettings>
export const REMOTE_PATCH = Type.Unsafe<RemotePatch>({ ...patchOf(REMOTE_CONFIG), type: 'object' })

/** Default remote config. A `false` field means the feature is off. */
const DEFAULTS: Required<RemoteSettings> = {
  autocapture_opt_out: false,
  captureDeadClicks: false,
  heatmaps: false,
  surveys: true,
  sessionRecording: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  defaultIdentifiedOnly: true,
  errorTracking: {},
}

export interface RemoteConfigs {
  /** Returns the settings of a project, with defaults. */
  settings(projectId: number): Promise<Required<RemoteSettings>>
  /** Changes settings. Resolves with all of them. Throws `ApiError`. */
  change(projectId: number, changes: RemotePatch): Promise<Required<RemoteSettings>>
  /** Returns the configuration as the SDK reads it. */
  of(project: { readonly id: number; readonly token: string }): Promise<Readonly<Record<string, unknown>>>
}

/** Setting of a project: what it does not record. It stays while recording is off. */
const PROTECTION = 'recording_protection'

/** SDKs record if `sessionRecording` is an object. */
const forSdk = (settings: Required<RemoteSettings>) => ({
  ...settings,
  sessionRecording: settings.sessionRecording && {
    endpoint: '/s/',
    ...(settings.sessionRecording === true ? {} : settings.sessionRecording),
  },
})

export const createRemoteConfigs = (
  { settings }: Pick<Metadata, 'settings'>,
  { byKey }: Pick<FlagDefinitions, 'byKey'>,
  sources: readonly Pick<FlagSource, 'setting' | 'isUsed'>[] = [],
): RemoteConfigs => {
  const read = async (projectId: number) => ({
    ...DEFAULTS,
    ...((await settings.get(projectId, 'remote_config')) as RemoteSettings | undefined),
  })
  return {
    settings: read,
    change: async (projectId, { sessionRecording: recording, ...changes }) => {
      const before = await read(projectId)
      const next = { ...DEFAULTS, ...(mergePatch(before, changes) as RemoteSettings) }
      if (recording !== undefined) {
        const { sessionRecording, protection } = changeRecording(
          before.sessionRecording,
          (await settings.get(projectId, PROTECTION)) ?? {},
          recording ?? DEFAULTS.sessionRecording,
        )
        next.sessionRecording = sessionRecording
        await settings.set(projectId, PROTECTION, protection)
      }
      await settings.set(projectId, 'remote_config', next)
      return next
    },
    of: async ({ id, token }) => {
      const [settings, flags, used] = await Promise.all([
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
        ...forSdk(settings),
        // SDKs load nothing for a module that the project does not use.
        ...Object.fromEntries(sources.map(({ setting }, index) => [setting, settings[setting] && used[index]])),
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
