import { cleanText } from './cleanText.ts'
import type { AgentAnswer } from './tool.ts'

/** Maximum characters of an answer. */
export const MAX_ANSWER = 24_000

/** Maximum number of results for which an answer shows the beginning of each, instead of only the first ones. */
const FEW_RESULTS = 20
const MAX_DEPTH = 8
const MAX_FIELDS = 100
/** Limits on the length of lists in a result. The first limit with which the answer fits is used. */
const LIST_LIMITS = [200, 50, 10] as const

const rest = (shown: number, total: number) => `… and ${total - shown} more, ${total} in total`

/** Cleans a value of a result. Lists with more than `most` items end with the number of the others. */
const cleanValue = (value: unknown, most: number, depth = 0): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) {
    const kept = value.slice(0, most).map((each) => cleanValue(each, most, depth + 1))
    return value.length > most ? [...kept, rest(most, value.length)] : kept
  }
  const fields = Object.entries(value)
  const kept = fields
    .slice(0, MAX_FIELDS)
    .map(([name, each]) => [cleanText(name), cleanValue(each, most, depth + 1)] as const)
  return Object.fromEntries(
    fields.length > MAX_FIELDS ? [...kept, ['…', rest(MAX_FIELDS, fields.length)] as const] : kept,
  )
}

/** Cleans a result. All columns of a row are kept. */
const cleanResult = (result: unknown, most: number): unknown =>
  Array.isArray(result) ? result.map((each) => cleanValue(each, most, 1)) : cleanValue(result, most)

const lengthOf = (value: unknown): number => (JSON.stringify(value) ?? 'null').length

/** Returns the first results that fit into `budget` characters. */
const firstOf = (results: readonly unknown[], most: number, budget: number): unknown[] => {
  const kept: unknown[] = []
  let used = 2
  for (const result of results) {
    const clean = cleanResult(result, most)
    used += lengthOf(clean) + 1
    if (used > budget) break
    kept.push(clean)
  }
  return kept
}

const CUT = 'Cut: this is the beginning. Aggregate, filter or limit to see the rest. Totals are of everything.'
const UNKNOWN_TOTAL = 'There are more results, and counting them took too long.'

/** Maximum characters of a source. Only very long arguments exceed it. */
const MAX_SOURCE = 10_000

const shortSource = (source: AgentAnswer['source']) =>
  lengthOf(source) > MAX_SOURCE ? { request: source.request, note: 'With the arguments of this call.' } : source

/** Characters around the results: their name, brackets, and numbers that are longer than expected. */
const AROUND = 40

/**
 * Returns an answer that can be sent: with cleaned values, at most `MAX_ANSWER` characters as JSON, and the total
 * number of results. A truncated answer says so.
 */
export const fit = ({ source, results, total = results.length, facts = {}, notes = [] }: AgentAnswer) => {
  const note = (isCut: boolean) =>
    [...notes, ...(isCut ? [CUT] : []), ...(total === null ? [UNKNOWN_TOTAL] : [])].join(' ')
  const withLists = (most: number) => {
    const head = { source: shortSource(source), ...(cleanValue(facts, most) as object) }
    const around = lengthOf({ ...head, total, shown: results.length, is_cut: false, note: note(true) }) + AROUND
    return { most, head, kept: firstOf(results, most, MAX_ANSWER - around) }
  }
  const isMany = results.length > FEW_RESULTS
  // If there are few long results, the beginnings of all say more than the first one in full.
  const isEnough = ({ kept }: ReturnType<typeof withLists>) =>
    kept.length === results.length || (isMany && kept.length > 0)
  let fitted = withLists(Infinity)
  for (const most of LIST_LIMITS) if (!isEnough(fitted)) fitted = withLists(most)
  const { head, kept, most } = fitted
  const isCut = most !== Infinity || kept.length < results.length || total !== results.length
  return {
    ...head,
    total,
    shown: kept.length,
    is_cut: isCut,
    ...(note(isCut) ? { note: note(isCut) } : {}),
    results: kept,
  }
}
