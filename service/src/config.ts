import { homedir } from 'node:os'
import { resolve } from 'node:path'

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
  /** Address of a ClickHouse server. Absent: the embedded engine. */
  readonly clickhouseUrl: string | undefined
  readonly engineMemoryBytes: number | undefined
}

/** A value that was given and cannot be used. Its message is one sentence that says what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

interface Variable<Value> {
  readonly name: string
  readonly fallback: string | undefined
  readonly what: string
  /** Throws an Error that says what the variable takes. */
  readonly read: (text: string) => Value
}

const asPort = (text: string): number => {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65535) throw new Error('takes a port number from 0 to 65535, 0 for any free port')
  return port
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

const asHttpUrl = (text: string): string => {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('takes an address such as http://user:password@host:8123')
  return text
}

const asMegabytes = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 512) throw new Error('takes a whole number of megabytes, 512 or more')
  return Number(text) * 1_000_000
}

/** Every environment variable that the service reads. A fallback is read like a given value. */
const VARIABLES = {
  port: { name: 'TRAILMARK_PORT', fallback: '8000', what: 'Port to listen on; 0 is any free port.', read: asPort },
  host: { name: 'TRAILMARK_HOST', fallback: '127.0.0.1', what: 'Address to listen on; 0.0.0.0 is every network.', read: (text) => text },
  dataDir: { name: 'TRAILMARK_DATA', fallback: './.data', what: 'Folder of everything that is kept.', read: asPath },
  projectToken: { name: 'TRAILMARK_PROJECT_TOKEN', fallback: undefined, what: 'Token of the first project; made up at the first start if absent.', read: asToken },
  personalApiKey: { name: 'TRAILMARK_PERSONAL_API_KEY', fallback: undefined, what: 'Personal API key with all scopes; made up and kept in the data folder if absent.', read: asKey },
  staticDir: { name: 'TRAILMARK_STATIC', fallback: undefined, what: "Folder of the SDK's built files, served under /static/.", read: asPath },
  clickhouseUrl: { name: 'CLICKHOUSE_URL', fallback: undefined, what: 'ClickHouse server to use instead of the embedded engine.', read: asHttpUrl },
  engineMemoryBytes: { name: 'TRAILMARK_ENGINE_MEMORY_MB', fallback: undefined, what: 'Most memory the embedded engine may take; half of the machine, at most 4 GB, if absent.', read: asMegabytes },
} as const satisfies { readonly [Key in keyof Config]: Variable<Config[Key]> }

/**
 * The configuration that `env` asks for. An empty value counts as absent.
 * Throws `ConfigError` for the first value that cannot be used.
 */
export const readConfig = (env: Readonly<Record<string, string | undefined>>, defaults: { staticDir: string }): Config => {
  const entries = Object.entries<Variable<unknown>>(VARIABLES).map(([key, variable]) => {
    const text = env[variable.name] || variable.fallback
    if (text === undefined) return [key, undefined]
    try {
      return [key, variable.read(text)]
    } catch (error) {
      throw new ConfigError(`${variable.name} ${(error as Error).message}; it is set to "${variable.name.endsWith('KEY') ? '…' : text}".`)
    }
  })
  const config = Object.fromEntries(entries) as Config
  return { ...config, staticDir: config.staticDir ?? defaults.staticDir }
}

/** One line per environment variable, for `--help`. */
export const describeVariables = (): string =>
  Object.values<Variable<unknown>>(VARIABLES)
    .map(({ name, fallback, what }) => `  ${name.padEnd(28)} ${what}${fallback ? ` Default: ${fallback}` : ''}`)
    .join('\n')
