import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './lib/log.ts'

/** What the process can be told from outside. */
export interface Config {
  readonly port: number
  readonly host: string
  /** Absolute path of the folder that holds everything the service keeps. */
  readonly dataDir: string
  readonly projectToken: string | undefined
  readonly personalApiKey: string | undefined
  /** Absolute path of the SDK's built files. */
  readonly staticDir: string
  /** Ranges of addresses with their countries. Absent: countries are not looked up. */
  readonly geoipFile: string | undefined
  /** Address of a ClickHouse server; of a cluster that of each node, with commas between them. Absent: the embedded engine. */
  readonly clickhouseUrl: string | undefined
  /** Name of the cluster that these nodes are. */
  readonly clickhouseCluster: string | undefined
  /** Address of a Postgres database that holds the definitions. Absent: a file in the data folder. */
  readonly databaseUrl: string | undefined
  readonly engineMemoryBytes: number | undefined
  readonly runSeconds: number
  readonly runMemoryBytes: number
  readonly runRows: number
  readonly runStreamRows: number
  readonly runsPerMinute: number
  readonly runsPerHour: number
  readonly flagsPerMinute: number
  readonly runsAtOnce: number
  readonly engineRuns: number
  /** What some keys may do differently, by their labels. */
  readonly keyLimits: Readonly<Record<string, KeyLimits>>
  readonly cacheBytes: number
  readonly ingestBytes: number
  readonly diskReserveBytes: number
  readonly logFormat: LogFormat
  readonly logLevel: LogLevel
  readonly materializeLagSeconds: number
  readonly shadowPercent: number
}

/** Limits of one key. Absent ones are those of all keys. */
export interface KeyLimits {
  readonly seconds?: number
  readonly memoryBytes?: number
  readonly rows?: number
  readonly streamRows?: number
  readonly perMinute?: number
  readonly perHour?: number
  readonly atOnce?: number
}

/** A value that was given and cannot be used. Its message is one sentence that says what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

interface Variable<Value> {
  readonly name: string
  readonly fallback: string | undefined
  readonly what: string
  /** A value that is never shown. */
  readonly isSecret?: boolean
  /** Throws an Error that says what the variable takes. */
  readonly read: (text: string) => Value
}

const asPort = (text: string): number => {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65535) throw new Error('takes a port number from 0 to 65535, 0 for any free port')
  return port
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false // a % without two digits
  }
}

const asPath = (text: string): string => resolve(text.replace(/^~(?=\/|$)/, homedir()))

const asToken = (text: string): string => {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text)) throw new Error('takes 1 to 200 letters, digits, _ and -')
  return text
}

const asKey = (text: string): string => {
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) throw new Error('takes 16 to 200 printable characters without spaces')
  return text
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const asHttpUrls = (text: string): string => {
  const urls = text.split(',').map((url) => url.trim())
  if (!urls.every(isHttpUrl))
    throw new Error('takes an address such as http://user:password@host:8123, or several with commas between them')
  return urls.join(',')
}

// It stands in statements.
const asName = (text: string): string => {
  if (!/^[\w.-]{1,200}$/.test(text)) throw new Error('takes 1 to 200 letters, digits, _, - and .')
  return text
}

const asPostgresUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWhole =
    url && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1 && isDecodable(url.username + url.password)
  if (!isWhole)
    throw new Error(
      'takes an address such as postgres://user:password@host:5432/database, with %40 for @ in a password, %23 for # and %25 for %',
    )
  return text
}

const asMegabytes = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 512) throw new Error('takes a whole number of megabytes, 512 or more')
  return Number(text) * 1_000_000
}

const asOneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value => {
    if (!values.includes(text as Value)) throw new Error(`takes ${values.join(', ')}`)
    return text as Value
  }

const asCount =
  (least: number, most: number) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Error(`takes a whole number from ${least} to ${most}`)
    return Number(text)
  }

const asMegabytesOf =
  (least: number, most: number) =>
  (text: string): number =>
    asCount(least, most)(text) * 1_000_000

// The engine ends whatever runs longer than a minute.
const asSeconds = asCount(1, 60)
const asMemory = asMegabytesOf(10, 1_000_000)
const asRows = asCount(1, 10_000_000)
const asStreamRows = asCount(1, 1_000_000_000)
const asRuns = asCount(1, 1_000_000_000)

/** The fields of `TRAILMARK_KEY_LIMITS`: what each is in `KeyLimits`, and how it is read. */
const KEY_LIMITS: Readonly<Record<string, readonly [keyof KeyLimits, (text: string) => number]>> = {
  seconds: ['seconds', asSeconds],
  memory_mb: ['memoryBytes', asMemory],
  rows: ['rows', asRows],
  stream_rows: ['streamRows', asStreamRows],
  per_minute: ['perMinute', asRuns],
  per_hour: ['perHour', asRuns],
  at_once: ['atOnce', asRuns],
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asKeyLimit = (label: string, field: string, value: unknown): [keyof KeyLimits, number] => {
  if (!Object.hasOwn(KEY_LIMITS, field))
    throw new Error(`takes for "${label}" only ${Object.keys(KEY_LIMITS).join(', ')}, not "${field}"`)
  const [name, read] = KEY_LIMITS[field]!
  try {
    return [name, read(String(value))]
  } catch (error) {
    throw new Error(`has a "${field}" of "${label}" that ${(error as Error).message}`, { cause: error })
  }
}

const asKeyLimits = (text: string): Record<string, KeyLimits> => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    given = undefined
  }
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new Error('takes JSON such as {"label of a key": {"seconds": 5, "per_minute": 60}}')
  return Object.fromEntries(
    Object.entries(given).map(([label, fields]) => [
      label,
      Object.fromEntries(Object.entries(fields as object).map(([field, value]) => asKeyLimit(label, field, value))),
    ]),
  )
}

/** Every environment variable that the service reads. A fallback is read like a given value. */
const VARIABLES = {
  port: { name: 'TRAILMARK_PORT', fallback: '8000', what: 'Port to listen on; 0 is any free port.', read: asPort },
  host: {
    name: 'TRAILMARK_HOST',
    fallback: '127.0.0.1',
    what: 'Address to listen on; 0.0.0.0 is every network.',
    read: (text) => text,
  },
  dataDir: { name: 'TRAILMARK_DATA', fallback: './.data', what: 'Folder of everything that is kept.', read: asPath },
  projectToken: {
    name: 'TRAILMARK_PROJECT_TOKEN',
    fallback: undefined,
    what: 'Token of the first project; made up at the first start if absent.',
    read: asToken,
  },
  personalApiKey: {
    name: 'TRAILMARK_PERSONAL_API_KEY',
    fallback: undefined,
    what: 'Personal API key with all scopes; made up and kept in the data folder if absent.',
    isSecret: true,
    read: asKey,
  },
  staticDir: {
    name: 'TRAILMARK_STATIC',
    fallback: undefined,
    what: "Folder of the SDK's built files, served under /static/.",
    read: asPath,
  },
  geoipFile: {
    name: 'TRAILMARK_GEOIP_FILE',
    fallback: undefined,
    what: 'CSV file of addresses and their countries (first, last, country): events get `$geoip_country_code`. Without it no country is looked up.',
    read: asPath,
  },
  clickhouseUrl: {
    name: 'CLICKHOUSE_URL',
    fallback: undefined,
    what: 'ClickHouse server to use instead of the embedded engine; of a cluster every node, with commas between them.',
    read: asHttpUrls,
  },
  clickhouseCluster: {
    name: 'CLICKHOUSE_CLUSTER',
    fallback: undefined,
    what: "Name, in the nodes' remote_servers, of the cluster that keeps the events.",
    read: asName,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: undefined,
    what: 'Postgres database for the definitions, instead of a file in the data folder.',
    isSecret: true,
    read: asPostgresUrl,
  },
  engineMemoryBytes: {
    name: 'TRAILMARK_ENGINE_MEMORY_MB',
    fallback: undefined,
    what: 'Most memory the embedded engine may take; half of the machine, at most 4 GB, if absent.',
    read: asMegabytes,
  },
  runSeconds: {
    name: 'TRAILMARK_RUN_SECONDS',
    fallback: '10',
    what: 'Longest a run of an endpoint may take, at most 60.',
    read: asSeconds,
  },
  runMemoryBytes: {
    name: 'TRAILMARK_RUN_MEMORY_MB',
    fallback: '1000',
    what: "Most memory one run may take, never more than half of the embedded engine's.",
    read: asMemory,
  },
  runRows: {
    name: 'TRAILMARK_RUN_ROWS',
    fallback: '50000',
    what: 'Most rows of one answer in JSON; cursors lead beyond.',
    read: asRows,
  },
  runStreamRows: {
    name: 'TRAILMARK_RUN_STREAM_ROWS',
    fallback: '10000000',
    what: 'Most rows of one answer in CSV or NDJSON.',
    read: asStreamRows,
  },
  // High enough for a page of charts that many people look at, low enough to stop a loop.
  runsPerMinute: {
    name: 'TRAILMARK_RUNS_PER_MINUTE',
    fallback: '6000',
    what: 'Runs that one key may start in a minute.',
    read: asRuns,
  },
  runsPerHour: {
    name: 'TRAILMARK_RUNS_PER_HOUR',
    fallback: '120000',
    what: 'Runs that one key may start in an hour.',
    read: asRuns,
  },
  // More than this many would wait for the engine, where they share their project's places.
  runsAtOnce: {
    name: 'TRAILMARK_RUNS_AT_ONCE',
    fallback: '20',
    what: 'Runs of one key under way at the same time.',
    read: asRuns,
  },
  // More at once than a few cores work on makes each of them slower, and deliveries too.
  engineRuns: {
    name: 'TRAILMARK_ENGINE_RUNS',
    fallback: '16',
    what: 'Runs of all projects under way in the engine at the same time; one project alone gets two thirds of them, and others wait up to 5 s for a place.',
    read: asCount(2, 60),
  },
  flagsPerMinute: {
    name: 'TRAILMARK_FLAGS_PER_MINUTE',
    fallback: '0',
    what: 'Answers of /flags that one project gets in a minute; beyond it they name no flag and say so in "quotaLimited". 0: as many as are asked for.',
    read: asCount(0, 1_000_000_000),
  },
  keyLimits: {
    name: 'TRAILMARK_KEY_LIMITS',
    fallback: '{}',
    what: `Other limits for some keys, as JSON by their labels: ${Object.keys(KEY_LIMITS).join(', ')}.`,
    read: asKeyLimits,
  },
  cacheBytes: {
    name: 'TRAILMARK_CACHE_MB',
    fallback: '64',
    what: 'Memory for answers that are kept; 0 keeps none.',
    read: asMegabytesOf(0, 1_000_000),
  },
  // A second or two of much traffic: what is answered 429 waits where it was made, which has more room.
  ingestBytes: {
    name: 'TRAILMARK_INGEST_MEMORY_MB',
    fallback: '64',
    what: 'Memory for deliveries that wait for the engine; beyond it they are answered 429.',
    read: asMegabytesOf(1, 100_000),
  },
  diskReserveBytes: {
    name: 'TRAILMARK_DISK_RESERVE_MB',
    fallback: '500',
    what: "Space that events leave free on the embedded engine's disk; below it they are answered 507.",
    read: asMegabytesOf(0, 10_000_000),
  },
  logFormat: {
    name: 'TRAILMARK_LOG_FORMAT',
    fallback: 'text',
    what: `Lines of the log on stderr: ${LOG_FORMATS.join(' or ')}.`,
    read: asOneOf(LOG_FORMATS),
  },
  logLevel: {
    name: 'TRAILMARK_LOG_LEVEL',
    fallback: 'info',
    what: `The least that is logged: ${LOG_LEVELS.join(', ')}.`,
    read: asOneOf(LOG_LEVELS),
  },
  // Twice as long as the writer lets an insert take.
  materializeLagSeconds: {
    name: 'TRAILMARK_MATERIALIZE_LAG_SECONDS',
    fallback: '60',
    what: 'Events this new are always read live; longer than any insert takes.',
    read: asCount(0, 86_400),
  },
  shadowPercent: {
    name: 'TRAILMARK_SHADOW_PERCENT',
    fallback: '1',
    what: 'Of 100 materialized runs, how many are compared with a live one.',
    read: asCount(0, 100),
  },
} as const satisfies { readonly [Key in keyof Config]: Variable<Config[Key]> }

/**
 * The configuration that `env` asks for. An empty value counts as absent.
 * Throws `ConfigError` for the first value that cannot be used.
 */
export const readConfig = (
  env: Readonly<Record<string, string | undefined>>,
  defaults: { staticDir: string },
): Config => {
  const entries = Object.entries<Variable<unknown>>(VARIABLES).map(([key, variable]) => {
    const text = env[variable.name] || variable.fallback
    if (text === undefined) return [key, undefined]
    try {
      return [key, variable.read(text)]
    } catch (error) {
      throw new ConfigError(
        `${variable.name} ${(error as Error).message}; it is set to "${variable.isSecret ? '…' : text}".`,
      )
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (config.clickhouseCluster && !config.clickhouseUrl)
    throw new ConfigError("CLICKHOUSE_CLUSTER needs the addresses of the cluster's nodes in CLICKHOUSE_URL.")
  if (config.clickhouseUrl?.includes(',') && !config.clickhouseCluster)
    throw new ConfigError(
      'CLICKHOUSE_URL names several servers: say in CLICKHOUSE_CLUSTER what the cluster is called that they are.',
    )
  return { ...config, staticDir: config.staticDir ?? defaults.staticDir }
}

/** Every environment variable, for the documents. */
export const configTable = (): { name: string; fallback: string | undefined; what: string }[] =>
  Object.values<Variable<unknown>>(VARIABLES).map(({ name, fallback, what }) => ({ name, fallback, what }))

/** One line per environment variable, for `--help`. */
export const describeVariables = (): string =>
  configTable()
    .map(({ name, fallback, what }) => `  ${name.padEnd(28)} ${what}${fallback ? ` Default: ${fallback}` : ''}`)
    .join('\n')
