import type { Snapshot } from '../../api/recordings.ts'
import { cutText, toText } from '../../lib/propertyText.ts'

/** A line in the log beside the player: a console message, a network request or an event. */
export interface LogEntry {
  readonly key: string
  readonly kind: 'event' | 'console' | 'network'
  /** ms since the epoch. */
  readonly at: number
  readonly text: string
  readonly detail: string
  readonly isError: boolean
}

type Fields = Readonly<Record<string, unknown>>

const PLUGIN = 6
const MAX_TEXT = 500

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)

const textOf = (value: unknown): string =>
  cutText(typeof value === 'string' ? value : JSON.stringify(value ?? ''), MAX_TEXT)

/** The console plugin sends each argument as JSON. */
const argumentOf = (value: unknown): string => {
  try {
    const parsed: unknown = JSON.parse(toText(value))
    return typeof parsed === 'string' ? parsed : toText(value)
  } catch {
    return toText(value)
  }
}

const pathOf = (url: string): string => {
  try {
    const { host, pathname } = new URL(url)
    return host + pathname
  } catch {
    return url
  }
}

type Maker = (payload: Fields, key: string, at: number) => LogEntry[]

/** Entries by the name of the recorder's plugin, without its version. */
const MAKERS: Readonly<Record<string, Maker>> = {
  'rrweb/console': (payload, key, at) => [
    {
      key,
      kind: 'console',
      at,
      text: cutText(Array.isArray(payload.payload) ? payload.payload.map(argumentOf).join(' ') : '', MAX_TEXT),
      detail: textOf(payload.level),
      isError: payload.level === 'error' || payload.level === 'assert',
    },
  ],
  'rrweb/network': ({ requests }, key, at) =>
    (Array.isArray(requests) ? requests : []).filter(isFields).map((request, index) => {
      const status = toNumber(request.responseStatus ?? request.status)
      return {
        key: `${key} ${index}`,
        kind: 'network' as const,
        at: typeof request.timestamp === 'number' ? request.timestamp : at,
        text: textOf(pathOf(textOf(request.name ?? request.url))),
        detail: [
          request.method === undefined ? undefined : textOf(request.method),
          status || undefined,
          typeof request.duration === 'number' ? `${Math.round(request.duration)} ms` : undefined,
        ]
          .filter((part) => part !== undefined)
          .map(String)
          .join(' · '),
        isError: status >= 400,
      }
    }),
}

/** Returns the console and network entries in events of a window. */
export const entriesOf = (windowId: string, snapshots: readonly Snapshot[]): LogEntry[] =>
  snapshots.flatMap(({ seq, event: { type, data, timestamp } }, index) => {
    if (type !== PLUGIN || !isFields(data) || !isFields(data.payload)) return []
    const name = toText(data.plugin).split('@')[0]!
    return Object.hasOwn(MAKERS, name) ? MAKERS[name]!(data.payload, `${windowId} ${seq} ${index}`, timestamp) : []
  })
