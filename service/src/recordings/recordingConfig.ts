import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { RemoteSettings } from '../flags/remoteSetting.ts'
import { ApiError } from '../lib/apiError.ts'
import { mergePatch } from '../lib/mergePatch.ts'

const CLOSED = { additionalProperties: false } as const
const MAX_TEXT = 500
const MAX_ROWS = 100
const MAX_MS = 24 * 3_600_000

const TEXT = Type.String({ minLength: 1, maxLength: MAX_TEXT })
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/**
 * Returns the schema of a value of one of several types. Each keyword of a schema applies to one type, so an error
 * names the keyword that failed, which a union would not.
 */
const anyType = <Value>(type: readonly string[], ...schemas: object[]) =>
  Type.Unsafe<Value>({ ...(Object.assign({}, ...schemas) as object), type: [...type] })

/** Share of sessions. SDKs of this protocol expect a decimal, as a number or a string. */
const RATE = anyType<number | string | null>(['number', 'string', 'null'], {
  minimum: 0,
  maximum: 1,
  pattern: '^(?:0(?:\\.\\d{1,6})?|1(?:\\.0{1,6})?)$',
})
const MS = anyType<number | null>(['integer', 'null'], { minimum: 0, maximum: MAX_MS })
const MATCH_TYPE = Type.Unsafe<'any' | 'all'>({ type: 'string', enum: ['any', 'all'] })
const URLS = Type.Array(
  Type.Object({ url: TEXT, matching: Type.Unsafe<'regex'>({ type: 'string', enum: ['regex'] }) }, CLOSED),
  { maxItems: MAX_ROWS },
)
const FLAG_OBJECT = Type.Object({ flag: TEXT, variant: optional(Type.String({ maxLength: MAX_TEXT })) }, CLOSED)
const FLAG = anyType<string | Static<typeof FLAG_OBJECT> | null>(['string', 'object', 'null'], TEXT, FLAG_OBJECT)

const MASKING = Type.Object(
  {
    maskAllInputs: optional(Type.Boolean()),
    maskTextSelector: optional(TEXT),
    blockSelector: optional(TEXT),
    maskAllElementAttributes: optional(Type.Boolean()),
  },
  CLOSED,
)

const GROUP = Type.Object(
  {
    id: TEXT,
    name: optional(TEXT),
    sampleRate: optional(RATE),
    minDurationMs: optional(MS),
    conditions: optional(
      Type.Object(
        {
          matchType: optional(MATCH_TYPE),
          events: optional(
            Type.Array(
              Type.Object(
                {
                  name: TEXT,
                  properties: optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: MAX_ROWS })),
                },
                CLOSED,
              ),
              { maxItems: MAX_ROWS },
            ),
          ),
          urls: optional(URLS),
          flag: optional(FLAG),
          properties: optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: MAX_ROWS })),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)

const SETTINGS = Type.Object(
  {
    endpoint: optional(Type.Unsafe<'/s/'>({ type: 'string', enum: ['/s/'] })),
    consoleLogRecordingEnabled: optional(Type.Boolean()),
    sampleRate: optional(RATE),
    minimumDurationMilliseconds: optional(MS),
    linkedFlag: optional(FLAG),
    urlTriggers: optional(URLS),
    urlBlocklist: optional(URLS),
    eventTriggers: optional(Type.Array(TEXT, { maxItems: MAX_ROWS })),
    triggerMatchType: optional(MATCH_TYPE),
    networkPayloadCapture: optional(
      Type.Object({ recordBody: optional(Type.Boolean()), recordHeaders: optional(Type.Boolean()) }, CLOSED),
    ),
    masking: optional(MASKING),
    recordCanvas: optional(Type.Boolean()),
    canvasFps: optional(Type.Integer({ minimum: 1, maximum: 12 })),
    canvasQuality: optional(Type.String({ pattern: '^(?:0(?:\\.\\d{1,4})?|1(?:\\.0{1,4})?)$' })),
    version: optional(Type.Unsafe<1 | 2>({ type: 'integer', enum: [1, 2] })),
    triggerGroups: optional(Type.Array(GROUP, { maxItems: MAX_ROWS })),
  },
  CLOSED,
)
export type RecordingConfig = Static<typeof SETTINGS>

/**
 * Data that the SDK records, as configured by the project (docs/reference/session-recordings.md#what-is-recorded).
 * True: with the defaults of the SDK.
 */
export const RECORDING_CONFIG = anyType<boolean | RecordingConfig>(['boolean', 'object'], SETTINGS)

const invalid = (field: string, detail: string) =>
  new ApiError('invalid_input', { attr: 'sessionRecording', detail: `"sessionRecording.${field}" ${detail}` })

const assertRegex = (field: string, { url }: { readonly url: string }) => {
  try {
    new RegExp(url)
  } catch {
    throw invalid(field, `must be a regular expression, got ${JSON.stringify(url.slice(0, 100))}.`)
  }
}

/** Whether quotes and brackets of a selector are closed, and nothing ends it early. Browsers check the rest. */
const isSelector = (text: string): boolean => {
  const open: string[] = []
  let quote: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!
    if (sign === '\\') at += 1
    else if (quote) quote = sign === quote ? undefined : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '(' || sign === '[') open.push(sign === '(' ? ')' : ']')
    else if (sign === ')' || sign === ']') {
      if (open.pop() !== sign) return false
    } else if (/[{}<;@]/.test(sign)) return false
  }
  return !open.length && !quote && !/^\s*$|^\s*,|,\s*(?:,|$)/.test(text)
}

/**
 * Throws `ApiError` unless an SDK can use the settings: regular expressions compile, selectors are complete. An SDK that
 * cannot use a selector records nothing.
 */
const assertRecordingConfig = (config: RecordingConfig): void => {
  const groups = config.triggerGroups ?? []
  const urls = {
    urlTriggers: config.urlTriggers,
    urlBlocklist: config.urlBlocklist,
    ...Object.fromEntries(
      groups.map(({ conditions }, at) => [`triggerGroups.${at}.conditions.urls`, conditions?.urls]),
    ),
  }
  for (const [field, list] of Object.entries(urls))
    for (const [at, each] of (list ?? []).entries()) assertRegex(`${field}.${at}.url`, each)
  for (const name of ['maskTextSelector', 'blockSelector'] as const) {
    const selector = config.masking?.[name]
    if (selector !== undefined && !isSelector(selector))
      throw invalid(`masking.${name}`, `must be a CSS selector, got ${JSON.stringify(selector.slice(0, 100))}.`)
  }
  if (groups.length && config.version !== 2)
    throw invalid('triggerGroups', 'requires "version": 2. SDKs ignore groups otherwise.')
}

/** Data that a project does not record. */
export type RecordingProtection = Pick<RecordingConfig, 'masking' | 'urlBlocklist'>

const protectionOf = ({ masking, urlBlocklist }: RecordingConfig): RecordingProtection => ({
  ...(masking && { masking }),
  ...(urlBlocklist && { urlBlocklist }),
})

/**
 * Returns the settings of recordings changed by a merge patch. Turning recording off and on, or back to the defaults, keeps what
 * is not recorded: only a patch with null for it removes it. Throws `ApiError`.
 */
export const changeRecording = (
  before: boolean | RecordingConfig,
  kept: RecordingProtection,
  patch: unknown,
): { readonly sessionRecording: boolean | RecordingConfig; readonly protection: RecordingProtection } => {
  const protection = typeof before === 'object' ? protectionOf(before) : kept
  if (patch === false) return { sessionRecording: false, protection }
  if (patch === true) return { sessionRecording: Object.keys(protection).length ? { ...protection } : true, protection }
  const sessionRecording = mergePatch(typeof before === 'object' ? before : protection, patch) as RecordingConfig
  assertRecordingConfig(sessionRecording)
  return { sessionRecording, protection: protectionOf(sessionRecording) }
}

/** SDKs record if `sessionRecording` is an object. What is not recorded stays while recording is off. */
export const RECORDING_REMOTE_SETTINGS: RemoteSettings = {
  sessionRecording: {
    schema: RECORDING_CONFIG,
    byDefault: false,
    keptIn: 'recording_protection',
    toSdk: (value) => (value ? { endpoint: '/s/', ...(value === true ? {} : value) } : false),
    change(before, patch, kept) {
      const { sessionRecording, protection } = changeRecording(
        before as boolean | RecordingConfig,
        kept as RecordingProtection,
        patch,
      )
      return { value: sessionRecording, kept: protection }
    },
  },
}
