import { parseJson, toJson } from '../../lib/json'
import type { Entry, Key, StoredRecord } from '../../lib/entry'
import { uuidv7 } from '../../lib/uuid'

type Member = [uuid: string, event: string, size: number]

/** Returns the events of a record, oldest first. */
export const membersOf = ([, id, , size, event, members]: Key): Member[] =>
  (parseJson(members) as Member[] | undefined) ?? [[id, event, size]]

/**
 * Returns the record of some events of a tab, oldest first, and its text, which 2.0.0 sends as one event. Browsers are
 * slower at storing an array of texts.
 */
export const recordOf = (entries: readonly Entry[], tab: string): [record: StoredRecord, text: string] => {
  const text = entries.map((entry) => entry.text).join()
  const members = entries.map((entry): Member => [entry.uuid, entry.event, entry.text.length])
  const { at, event } = entries[0]!
  return [{ key: [at, uuidv7(), tab, text.length, event, toJson(members)], waiting: entries.length }, text]
}

/** Returns the JSON texts of the events of a record. */
export const textsOf = (text: string, key: Key): string[] => {
  let end = -1
  return membersOf(key).map(([, , size]) => text.slice(end + 1, (end += size + 1)))
}
