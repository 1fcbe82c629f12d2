import type { RecorderPluginParts } from '../../host'
import type { Stop } from '../../types'
import type { Emit } from './shape'
import { withoutSecrets } from './secrets'
import { wrap } from './wrap'

const LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const
const MAX_ENTRIES = 1000
const MAX_ARGUMENTS = 10
const MAX_CHARACTERS = 2000
// Prefix of the SDK's own console output, which is not recorded, because recording may cause more of it.
const OWN_PREFIX = '[trailmark]'

/** Returns a short text for an argument. Runs no code of the page: of objects it shows the kind, because a getter may have effects. */
const shown = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return value
    case 'object':
      if (value === null) return 'null'
      // The prototype's getter, which reads an internal slot of real errors only.
      if (Object.prototype.toString.call(value) === '[object Error]')
        return `${textOf(value, 'name')}: ${textOf(value, 'message')}`
      return Array.isArray(value) ? `Array(${value.length})` : 'Object'
    case 'function':
      return 'Function'
    default:
      return String(value)
  }
}

/** Returns a member that is a string and no getter. */
const textOf = (object: object, name: string): string => {
  for (let at: object | null = object; at; at = Object.getPrototypeOf(at) as object | null) {
    const { value } = (Object.getOwnPropertyDescriptor(at, name) ?? {}) as { value?: unknown }
    if (typeof value === 'string') return value
  }
  return ''
}

/** Captures console output: strings without secrets, objects as their type. */
export const startConsole = (host: RecorderPluginParts, emit: Emit): Stop => {
  const { outgoingText, withoutSensitive, hideTyped } = host
  let count = 0
  let isInside = false
  const safe = (value: unknown): string => {
    try {
      return JSON.stringify(
        withoutSecrets(withoutSensitive(outgoingText(hideTyped(shown(value)).slice(0, MAX_CHARACTERS)))),
      )
    } catch {
      return '""'
    }
  }
  const stops = LEVELS.map((level) =>
    wrap(console, level, ({ args }) => {
      // Capturing must not be the cause of more console output.
      if (isInside || count >= MAX_ENTRIES || args[0] === OWN_PREFIX) return
      isInside = true
      count += 1
      try {
        const payload = host.isStrict ? [] : args.slice(0, MAX_ARGUMENTS).map(safe)
        emit('rrweb/console@1', { level, payload, trace: [] })
      } finally {
        isInside = false
      }
    }),
  )
  return () => stops.forEach((stop) => stop())
}
