import type { Stop } from '../types'
import { listen } from './signal'

// Shorter values are part of too many words.
const MIN_LENGTH = 5
// Pages do not mirror whole documents, and normalizing one at each click would be expensive.
const MAX_LENGTH = 5000
// Only the latest fields. Older ones may have been removed from the page and must not stay in memory.
const MAX_FIELDS = 50

const fields = new Set<Node>()

/** Remembers the fields that a person types into, for `typedTexts`. */
export const followTyping = (): Stop =>
  listen(self, ['input', 'change'], (event) => {
    const field = event.composedPath()[0] as HTMLInputElement
    if (/^(radio|checkbox)$/.test(field.type)) return
    fields.delete(field)
    fields.add(field)
    if (fields.size > MAX_FIELDS) fields.delete(fields.values().next().value!)
  })

const fold = (text: string) => text.trim().replace(/\s+|%20/g, '+')

/** Returns the values of fields that a person typed into, as they may appear in text and in URLs. For `repeats`. */
export const typedTexts = (): string[] =>
  [...fields]
    .map((field) => String((field as HTMLInputElement).value ?? field.textContent).replace(/^C:\\fakepath\\/, ''))
    .filter(({ length }) => length >= MIN_LENGTH && length < MAX_LENGTH)
    .flatMap((text) => [text, String(new URLSearchParams({ '': text })).slice(1)])
    .map(fold)

/** Whether `text` contains one of `typed`, as previews and mirrored attributes do. */
export const repeats = (text: string, typed: readonly string[]): boolean =>
  typed.some((each) => fold(text).includes(each))
