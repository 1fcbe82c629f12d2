import type { Properties } from 'trailmark'
import { contains } from './contains'
import type { BadEvent, ReceivedEvent } from './types'

/** A failed expectation, and the events received instead. */
export interface Miss {
  name: string
  subset: Properties
  events: readonly ReceivedEvent[]
  bad: readonly BadEvent[]
  /** What `analytics.explain()` says about events of this name. */
  reasons?: readonly string[]
}

const MAX_NAMES = 3
const MAX_VALUE = 200

export const shown = (value: unknown): string => {
  const { asymmetricMatch } = Object(value) as { asymmetricMatch?: unknown }
  const text =
    typeof asymmetricMatch === 'function' || value instanceof RegExp
      ? String(value)
      : (JSON.stringify(value) ?? String(value))
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

/** Returns the number of single-character edits between two words. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}

/** Returns the names that are most like `name`, best first. */
export const nearestNames = (name: string, names: readonly string[]): string[] => {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return [...new Set(names)]
    .map((each) => ({ each, far: distance(plain(name), plain(each)) / Math.max(name.length, each.length, 1) }))
    .filter(({ far }) => far <= 0.5)
    .sort((a, b) => a.far - b.far)
    .slice(0, MAX_NAMES)
    .map(({ each }) => each)
}

/** Returns a line for each expected property that an event lacks or has with another value. */
const diff = ({ properties }: ReceivedEvent, subset: Properties): string[] =>
  Object.entries(subset)
    .filter(([key, value]) => !contains(properties[key], value))
    .map(([key, value]) => {
      const [near] = key in properties ? [] : nearestNames(key, Object.keys(properties))
      const got =
        key in properties
          ? shown(properties[key])
          : `nothing${near ? ` (there is ${near}: ${shown(properties[near])})` : ''}`
      return `    ${key}: expected ${shown(value)}, got ${got}`
    })

const counted = (names: readonly string[]): string =>
  [...new Set(names)]
    .map((name) => {
      const count = names.filter((each) => each === name).length
      return count > 1 ? `${name} (${count})` : name
    })
    .join(', ')

/** Says why an event is missing: the nearest names, the differences of its properties, rejections, and the SDK's reason. */
export const nearest = ({ name, subset, events, bad, reasons = [] }: Miss): string => {
  const same = events.filter(({ event }) => event === name)
  const names = events.map(({ event }) => event)
  const near = same.length ? [] : nearestNames(name, names)
  const closest = same.map((event) => diff(event, subset)).sort((a, b) => a.length - b.length)[0]
  const rejections = bad.filter(({ event }) => event === undefined || event === name)
  return [
    `No event "${name}"${Object.keys(subset).length ? ` with ${shown(subset)}` : ''} was captured.`,
    ...(near.length ? [`  Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`] : []),
    ...(closest
      ? [
          `  ${same.length} "${name}" ${same.length > 1 ? 'were' : 'was'} captured. The closest one differs in:`,
          ...closest,
        ]
      : []),
    ...reasons.map((reason) => `  analytics.explain("${name}"): ${reason}`),
    ...rejections.map(({ event, code, reason }) => `  Rejected: ${event ?? 'a request'}: ${reason} (${code})`),
    `  Captured: ${counted(names) || 'nothing'}.`,
  ].join('\n')
}
