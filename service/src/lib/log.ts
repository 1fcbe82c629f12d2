export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields of a line by name. `level` is `info` if absent. */
export type LogFacts = Readonly<Record<string, unknown>> & { readonly level?: LogLevel }

/** Writes one log line. */
export type Log = (message: string, facts?: LogFacts) => void

export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** `json`: one object per line. `text`: for people. */
export const LOG_FORMATS = ['text', 'json'] as const

export type LogFormat = (typeof LOG_FORMATS)[number]

export interface LogOptions {
  readonly format: LogFormat
  /** Minimum level of messages. */
  readonly level: LogLevel
  /** Strings that are redacted in all lines. */
  readonly secrets: readonly string[]
  readonly write?: (text: string) => void
  readonly now?: () => Date
}

/** Patterns of secrets, and their replacements. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[^\s"\\]+/gi, '$1 …'],
  [/(:\/\/)[^/\s"@]+@/g, '$1…@'],
  [/\b(tmk|tmc|tmb|tms|tmv|phx|phs)_[A-Za-z0-9]{8,}/g, '$1_…'],
  [/([?&](?:personal_api_key|api_key|token|secret|password|key)=)[^&\s"\\]+/gi, '$1…'],
]

const redacting = (secrets: readonly string[]) => {
  // A secret of three characters would redact half of every line. In JSON it may be escaped.
  const given = secrets
    .filter((secret) => secret.length > 3)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return (text: string): string =>
    SECRETS.reduce(
      (line, [pattern, instead]) => line.replace(pattern, instead),
      given.reduce((line, secret) => line.replaceAll(secret, '…'), text),
    )
}

const FORMATS: Readonly<Record<LogFormat, (time: string, level: LogLevel, message: string, facts: object) => string>> =
  {
    json: (time, level, message, facts) => JSON.stringify({ time, level, message, ...facts }),
    text: (time, level, message, facts) =>
      [
        time,
        level.toUpperCase().padEnd(5),
        message,
        ...Object.entries(facts).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
        ),
      ].join(' '),
  }

/** Creates a log that writes to stderr and redacts secrets. Stdout is for startup messages. */
export const createLog = ({
  format,
  level: least,
  secrets,
  write = (text) => void process.stderr.write(text),
  now = () => new Date(),
}: LogOptions): Log => {
  const redact = redacting(secrets)
  return (message, options = {}) => {
    if (LOG_LEVELS.indexOf(options.level ?? 'info') < LOG_LEVELS.indexOf(least)) return
    const { level = 'info', ...facts } = options
    write(`${redact(FORMATS[format](now().toISOString(), level, message, facts))}\n`)
  }
}
