import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './lib/log.ts'
import { own } from './lib/own.ts'

/** Configuration, read from environment variables. */
const RUN_SOURCES = ['quickest', 'table'] as const

export interface Config {
  readonly port: number
  readonly host: string
  /** Absolute path of the data folder, which contains everything the service stores. */
  readonly dataDir: string
  readonly projectToken: string | undefined
  readonly personalApiKey: string | undefined
  /** Absolute path of the folder with the SDK's built files. */
  readonly staticDir: string
  /** Absolute path of the folder with the console's built files. */
  readonly consoleDir: string
  /** Absolute path of the folder with the built docs. */
  readonly docsDir: string
  /** Hosts on which the console answers, in lower case. A host without a port stands for any port. */
  readonly consoleHosts: readonly string[]
  /** Path under which a proxy serves the service, such as `/trailmark`. Empty: the root. */
  readonly consoleBase: string
  /** Path of a file with IP ranges and their countries. Absent: countries are not looked up. */
  readonly geoipFiles: readonly string[] | undefined
  /** Whether events get the region and the city. */
  readonly hasCities: boolean
  /** URL of a ClickHouse server, or of each node of a cluster, separated by commas. Absent: the embedded engine. */
  readonly clickhouseUrl: string | undefined
  /** Name of the cluster of these nodes. */
  readonly clickhouseCluster: string | undefined
  /** URL of a Postgres database for the metadata. Absent: a file in the data folder. */
  readonly databaseUrl: string | undefined
  /** Whether to use little memory, for a machine of 1 GB. */
  readonly isSmall: boolean
  readonly engineMemoryBytes: number | undefined
  readonly runSeconds: number
  readonly runMemoryBytes: number
  readonly runRows: number
  readonly runStreamRows: number
  readonly runsPerMinute: number
  readonly runsPerHour: number
  readonly flagsPerMinute: number
  readonly errorIssues: number
  readonly runsAtOnce: number
  readonly agentCallsPerMinute: number
  readonly engineRuns: number
  /** Limits of individual keys, by label. */
  readonly keyLimits: Readonly<Record<string, KeyLimits>>
  readonly cacheBytes: number
  readonly ingestBytes: number
  readonly diskReserveBytes: number
  readonly logFormat: LogFormat
  readonly logLevel: LogLevel
  readonly materializeLagSeconds: number
  readonly shadowPercent: number
  readonly runSource: (typeof RUN_SOURCES)[number]
}

/** Limits of one key. Absent ones have the value for all keys. */
export interface KeyLimits {
  readonly seconds?: number
  readonly memoryBytes?: number
  readonly rows?: number
  readonly streamRows?: number
  readonly perMinute?: number
  readonly perHour?: number
  readonly atOnce?: number
}

/** A variable has an invalid value. The message is one sentence that says what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

interface Variable<Value> {
  readonly name: string
  readonly fallback: string | undefined
  /** Fallback of a small service. Absent: the same. */
  readonly small?: string
  readonly what: string
  /** Whether the value must never be shown. */
  readonly isSecret?: boolean
  /** Parses the value. Throws an Error that says what the variable expects. */
  readonly read: (text: string) => Value
}

const asPort = (text: string): number => {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65535)
    throw new Error('expects a port number from 0 to 65535, where 0 is any free port')
  return port
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false // a % without two hex digits
  }
}

// The home is looked up only for ~, because a user who is only a number, as in a container, has none.
const asPath = (text: string): string => resolve(text.replace(/^~(?=\/|$)/, () => homedir()))

const asPaths = (text: string): readonly string[] => text.split(',').map((each) => asPath(each.trim()))

const asToken = (text: string): string => {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text)) throw new Error('expects 1 to 200 letters, digits, _ and -')
  return text
}

const asKey = (text: string): string => {
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) throw new Error('expects 16 to 200 printable characters without spaces')
  return text
}

const asHosts = (text: string): string[] => {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase())
  if (!hosts.every((host) => /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(host)))
    throw new Error('expects host names such as console.example.com or 192.168.1.5:8000, separated by commas')
  return hosts
}

// Accepts only letters, digits, _ and -, because the base path is part of HTML, cookies and redirects.
const asBase = (text: string): string => {
  if (text !== '/' && !/^(?:\/[\w-]+)+\/?$/.test(text))
    throw new Error('expects a path such as /trailmark, of letters, digits, _ and -')
  return text.replace(/\/$/, '')
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const asHttpUrls = (text: string): string => {
  const urls = text.split(',').map((url) => url.trim())
  if (!urls.every(isHttpUrl))
    throw new Error('expects a URL such as http://user:password@host:8123, or several separated by commas')
  return urls.join(',')
}

// Accepts only characters that need no escaping, because the name is part of SQL statements.
const asName = (text: string): string => {
  if (!/^[\w.-]{1,200}$/.test(text)) throw new Error('expects 1 to 200 letters, digits, _, - and .')
  return text
}

const asPostgresUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWhole =
    url && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1 && isDecodable(url.username + url.password)
  if (!isWhole)
    throw new Error(
      'expects a URL such as postgres://user:password@host:5432/database, with %40 for @ in a password, %23 for # and %25 for %',
    )
  return text
}

const asSwitch = (text: string): boolean => {
  if (text !== '0' && text !== '1') throw new Error('expects 0 or 1')
  return text === '1'
}

const asMegabytes = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 512) throw new Error('expects a whole number of megabytes, 512 or more')
  return Number(text) * 1_000_000
}

const asOneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value => {
    if (!values.includes(text as Value)) throw new Error(`expects one of ${values.join(', ')}`)
    return text as Value
  }

const asCount =
  (least: number, most: number) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Error(`expects a whole number from ${least} to ${most}`)
    return Number(text)
  }

const asMegabytesOf =
  (least: number, most: number) =>
  (text: string): number =>
    asCount(least, most)(text) * 1_000_000

// The engine ends runs after a minute.
const asSeconds = asCount(1, 60)
const asMemory = asMegabytesOf(10, 1_000_000)
const asRows = asCount(1, 10_000_000)
const asStreamRows = asCount(1, 1_000_000_000)
const asRuns = asCount(1, 1_000_000_000)

/** Fields of `TRAILMARK_KEY_LIMITS`: the name in `KeyLimits`, and the parser. */
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
    throw new Error(`expects only ${Object.keys(KEY_LIMITS).join(', ')} for "${label}", got "${field}"`)
  const [name, read] = own(KEY_LIMITS, field)!
  try {
    return [name, read(String(value))]
  } catch (error) {
    throw new Error(`has an invalid "${field}" for "${label}": it ${(error as Error).message}`, { cause: error })
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
    throw new Error('expects JSON such as {"label of a key": {"seconds": 5, "per_minute": 60}}')
  return Object.fromEntries(
    Object.entries(given).map(([label, fields]) => [
      label,
      Object.fromEntries(Object.entries(fields as object).map(([field, value]) => asKeyLimit(label, field, value))),
    ]),
  )
}

/** Every environment variable of the service. A fallback is parsed like a value. */
const VARIABLES = {
  port: { name: 'TRAILMARK_PORT', fallback: '8000', what: 'Port to listen on. 0: any free port.', read: asPort },
  host: {
    name: 'TRAILMARK_HOST',
    fallback: '127.0.0.1',
    what: 'IP address to listen on. 0.0.0.0: all networks.',
    read: (text) => text,
  },
  dataDir: { name: 'TRAILMARK_DATA', fallback: './.data', what: 'Folder for all data.', read: asPath },
  projectToken: {
    name: 'TRAILMARK_PROJECT_TOKEN',
    fallback: undefined,
    what: 'Token of the first project, which nothing else changes then. Generated at the first start if absent.',
    read: asToken,
  },
  personalApiKey: {
    name: 'TRAILMARK_PERSONAL_API_KEY',
    fallback: undefined,
    what: 'Personal API key with all scopes for the first project. Generated and stored in the data folder if absent.',
    isSecret: true,
    read: asKey,
  },
  staticDir: {
    name: 'TRAILMARK_STATIC',
    fallback: undefined,
    what: "Folder with the SDK's built files, served under /static/. Absent: those of this build.",
    read: asPath,
  },
  consoleDir: {
    name: 'TRAILMARK_CONSOLE_STATIC',
    fallback: undefined,
    what: "Folder with the console's built files, served under /console/. Absent: those of this build.",
    read: asPath,
  },
  docsDir: {
    name: 'TRAILMARK_DOCS_STATIC',
    fallback: undefined,
    what: 'Folder with the built docs, served under /docs/. Absent: those of this build.',
    read: asPath,
  },
  consoleHosts: {
    name: 'TRAILMARK_CONSOLE_HOSTS',
    fallback: 'localhost,127.0.0.1,[::1]',
    what: 'Hosts on which the console answers, separated by commas, as in the address bar. One without a port stands for any port.',
    read: asHosts,
  },
  consoleBase: {
    name: 'TRAILMARK_CONSOLE_BASE',
    fallback: '/',
    what: 'Path under which a proxy serves the service, such as /trailmark.',
    read: asBase,
  },
  geoipFiles: {
    name: 'TRAILMARK_GEOIP_FILE',
    fallback: undefined,
    what: 'CSV files of IP ranges and their countries (first, last, country), or databases in the format mmdb, separated by commas, which add `$geoip_country_code` to events. Absent: countries are not looked up.',
    read: asPaths,
  },
  hasCities: {
    name: 'TRAILMARK_GEOIP_CITY',
    fallback: '0',
    what: '1: events also get the region and the city, if a database in TRAILMARK_GEOIP_FILE has them.',
    read: asSwitch,
  },
  clickhouseUrl: {
    name: 'CLICKHOUSE_URL',
    fallback: undefined,
    what: 'URL of a ClickHouse server to use instead of the embedded engine. For a cluster, the URLs of all nodes, separated by commas.',
    read: asHttpUrls,
  },
  clickhouseCluster: {
    name: 'CLICKHOUSE_CLUSTER',
    fallback: undefined,
    what: "Name of the cluster with the events, as in the nodes' remote_servers.",
    read: asName,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: undefined,
    what: 'URL of a Postgres database for the metadata, instead of a file in the data folder.',
    isSecret: true,
    read: asPostgresUrl,
  },
  isSmall: {
    name: 'TRAILMARK_SMALL',
    fallback: '0',
    what: '1: use little memory, for a machine of 1 GB. Changes defaults of other variables, see docs/operate/operations.md.',
    read: asSwitch,
  },
  engineMemoryBytes: {
    name: 'TRAILMARK_ENGINE_MEMORY_MB',
    fallback: undefined,
    small: '512',
    what: "Maximum memory of the embedded engine. Absent: half of the machine's memory, at most 4 GB.",
    read: asMegabytes,
  },
  runSeconds: {
    name: 'TRAILMARK_RUN_SECONDS',
    fallback: '10',
    what: 'Maximum duration of an endpoint run, at most 60.',
    read: asSeconds,
  },
  runMemoryBytes: {
    name: 'TRAILMARK_RUN_MEMORY_MB',
    fallback: '1000',
    small: '150',
    what: "Maximum memory of one run, never more than half of the embedded engine's.",
    read: asMemory,
  },
  runRows: {
    name: 'TRAILMARK_RUN_ROWS',
    fallback: '50000',
    what: 'Maximum rows of one JSON response. Cursors return the rest.',
    read: asRows,
  },
  runStreamRows: {
    name: 'TRAILMARK_RUN_STREAM_ROWS',
    fallback: '10000000',
    what: 'Maximum rows of one CSV or NDJSON response.',
    read: asStreamRows,
  },
  // High enough for a popular page of charts, low enough to stop an endless loop.
  runsPerMinute: {
    name: 'TRAILMARK_RUNS_PER_MINUTE',
    fallback: '6000',
    what: 'Maximum runs of one key per minute.',
    read: asRuns,
  },
  runsPerHour: {
    name: 'TRAILMARK_RUNS_PER_HOUR',
    fallback: '120000',
    what: 'Maximum runs of one key per hour.',
    read: asRuns,
  },
  // More would wait for the engine, where they share the slots of their project.
  runsAtOnce: {
    name: 'TRAILMARK_RUNS_AT_ONCE',
    fallback: '20',
    what: 'Maximum concurrent runs of one key.',
    read: asRuns,
  },
  agentCallsPerMinute: {
    name: 'TRAILMARK_AGENT_CALLS_PER_MINUTE',
    fallback: '120',
    what: 'Maximum calls of tools at /mcp with one key per minute.',
    read: asRuns,
  },
  // More concurrent runs than cores slow down each other, and deliveries.
  engineRuns: {
    name: 'TRAILMARK_ENGINE_RUNS',
    fallback: '16',
    small: '4',
    what: 'Maximum concurrent runs of all projects. One project alone gets two thirds of them. Further runs wait up to 5 s.',
    read: asCount(2, 60),
  },
  flagsPerMinute: {
    name: 'TRAILMARK_FLAGS_PER_MINUTE',
    fallback: '0',
    what: 'Maximum /flags requests of one project per minute. Beyond it, responses have no flags and name them in "quotaLimited". 0: unlimited.',
    read: asCount(0, 1_000_000_000),
  },
  errorIssues: {
    name: 'TRAILMARK_ERROR_ISSUES',
    fallback: '10000',
    what: 'Maximum issues of a project. Further kinds of exceptions share one issue. Five times as many stacks, the most recent ones, belong to issues.',
    read: asCount(1, 100_000),
  },
  keyLimits: {
    name: 'TRAILMARK_KEY_LIMITS',
    fallback: '{}',
    what: `Different limits for individual keys, as JSON by label: ${Object.keys(KEY_LIMITS).join(', ')}.`,
    read: asKeyLimits,
  },
  cacheBytes: {
    name: 'TRAILMARK_CACHE_MB',
    fallback: '64',
    small: '8',
    what: 'Memory for cached results. 0: no cache.',
    read: asMegabytesOf(0, 1_000_000),
  },
  // A few seconds of heavy traffic. Events beyond it wait in the clients, which have more room.
  ingestBytes: {
    name: 'TRAILMARK_INGEST_MEMORY_MB',
    fallback: '64',
    small: '32',
    what: 'Memory for deliveries that wait for the engine. Deliveries beyond it get a 429.',
    read: asMegabytesOf(1, 100_000),
  },
  diskReserveBytes: {
    name: 'TRAILMARK_DISK_RESERVE_MB',
    fallback: '500',
    what: 'Disk space that the embedded engine leaves free. Below it, deliveries get a 507.',
    read: asMegabytesOf(0, 10_000_000),
  },
  logFormat: {
    name: 'TRAILMARK_LOG_FORMAT',
    fallback: 'text',
    what: `Format of the log on stderr: ${LOG_FORMATS.join(' or ')}.`,
    read: asOneOf(LOG_FORMATS),
  },
  logLevel: {
    name: 'TRAILMARK_LOG_LEVEL',
    fallback: 'info',
    what: `Minimum level of logged messages: ${LOG_LEVELS.join(', ')}.`,
    read: asOneOf(LOG_LEVELS),
  },
  // Twice the writer's timeout of an insert.
  materializeLagSeconds: {
    name: 'TRAILMARK_MATERIALIZE_LAG_SECONDS',
    fallback: '60',
    what: 'Events newer than this are always read live. Must be longer than any insert takes.',
    read: asCount(0, 86_400),
  },
  shadowPercent: {
    name: 'TRAILMARK_SHADOW_PERCENT',
    fallback: '1',
    what: 'Percentage of materialized runs that are compared with a live run.',
    read: asCount(0, 100),
  },
  runSource: {
    name: 'TRAILMARK_RUN_SOURCE',
    fallback: 'quickest',
    what: 'Where runs of materialized endpoints read: quickest (the table, or the events where they are quicker) or table.',
    read: asOneOf(RUN_SOURCES),
  },
} as const satisfies { readonly [Key in keyof Config]: Variable<Config[Key]> }

/**
 * Reads the configuration from `env`. An empty value counts as absent.
 * Throws `ConfigError` for the first invalid value.
 */
export const readConfig = (
  env: Readonly<Record<string, string | undefined>>,
  defaults: Pick<Config, 'staticDir' | 'consoleDir' | 'docsDir'>,
): Config => {
  const isSmall = own(env, VARIABLES.isSmall.name) === '1'
  const entries = Object.entries<Variable<unknown>>(VARIABLES).map(([key, variable]) => {
    const text = own(env, variable.name) || (isSmall && variable.small) || variable.fallback
    if (text === undefined) return [key, undefined]
    try {
      return [key, variable.read(text)]
    } catch (error) {
      throw new ConfigError(`${variable.name} ${(error as Error).message}, got "${variable.isSecret ? '…' : text}".`)
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (config.clickhouseCluster && !config.clickhouseUrl)
    throw new ConfigError("CLICKHOUSE_CLUSTER requires the URLs of the cluster's nodes in CLICKHOUSE_URL.")
  if (config.clickhouseUrl?.includes(',') && !config.clickhouseCluster)
    throw new ConfigError('CLICKHOUSE_URL has several servers: set CLICKHOUSE_CLUSTER to the name of their cluster.')
  return {
    ...config,
    staticDir: config.staticDir ?? defaults.staticDir,
    consoleDir: config.consoleDir ?? defaults.consoleDir,
    docsDir: config.docsDir ?? defaults.docsDir,
  }
}

const PREFIX = 'TRAILMARK_'
// Clients, builds and tests read these variables. They may run in the service's environment.
const READ_BY_OTHERS: ReadonlySet<string> = new Set(
  [
    ...['URL', 'KEY', 'KEY_FILE', 'API_KEY', 'TOKEN', 'PROJECT_ID', 'DEFAULT_API_HOST', 'DEMO_PORT'],
    ...['BROWSER', 'HEADLESS_SHELL', 'FIREFOX', 'NGINX', 'CADDY'],
  ].map((name) => PREFIX + name),
)
/** Maximum edits between a name and the one that was probably meant. */
const MAX_EDITS = 4

/** Returns how many letters to insert, remove or replace to turn `a` into `b`. */
const editsBetween = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let at = 1; at <= a.length; at += 1) {
    const next = [at]
    for (let other = 1; other <= b.length; other += 1)
      next.push(Math.min(next[other - 1]! + 1, row[other]! + 1, row[other - 1]! + (a[at - 1] === b[other - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

/** Returns a warning for each variable that is named like one of the service's, but is none. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): string[] => {
  const known = Object.values<Variable<unknown>>(VARIABLES).map(({ name }) => name)
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !READ_BY_OTHERS.has(name),
  )
  return unknown.sort().map((name) => {
    const [nearest] = known
      .map((each) => ({ each, edits: editsBetween(name, each) }))
      .filter(({ edits }) => edits <= MAX_EDITS)
      .sort((a, b) => a.edits - b.edits)
    return `${name} is not a variable of the service and is ignored.${nearest ? ` Did you mean ${nearest.each}?` : ' "trailmark --help" lists all.'}`
  })
}

/** Returns all environment variables, for the documentation. */
export const configTable = (): {
  name: string
  fallback: string | undefined
  small: string | undefined
  what: string
}[] =>
  Object.values<Variable<unknown>>(VARIABLES).map(({ name, fallback, small, what }) => ({
    name,
    fallback,
    small,
    what,
  }))

/** Returns one line per environment variable, for `--help`. */
export const describeVariables = (): string =>
  configTable()
    .map(({ name, fallback, what }) => `  ${name.padEnd(28)} ${what}${fallback ? ` Default: ${fallback}` : ''}`)
    .join('\n')
