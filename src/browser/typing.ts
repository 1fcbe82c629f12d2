import type { Stop } from '../types'
import { listen } from './signal'

// Shorter values are part of too many words.
const MIN_LENGTH = 5
// Pages do not mirror whole documents, and normalizing one at each click would be expensive.
const MAX_LENGTH = 5000
// Over this number, the oldest field that was removed from the page is forgotten, so that its memory can be freed.
const MAX_FIELDS = 50
// Maximum fields, all of which may still be in the page.
const MAX_CONNECTED = 200

const fields = new Set<Node>()

/** Remembers the fields that a person types into, for `typedTexts`. */
export const followTyping = (): Stop =>
  listen(self, ['input', 'change'], (event) => {
    const field = event.composedPath()[0] as HTMLInputElement
    if (/^(radio|checkbox)$/.test(field.type)) return
    fields.delete(field)
    fields.add(field)
    if (fields.size <= MAX_FIELDS) return
    const all = [...fields]
    const removed = all.find(({ isConnected }) => !isConnected)
    if (removed || fields.size > MAX_CONNECTED) fields.delete(removed ?? all[0]!)
  })

const fold = (text: string) => text.replace(/\s+|%20/g, '+')

/** Returns the values of fields that a person typed into, as they may appear in text and in URLs. For `repeats`. */
export const typedTexts = (): string[] =>
  [...fields]
    .map((field) =>
      String((field as HTMLInputElement).value ?? field.textContent)
        .replace(/^C:\\fakepath\\/, '')
        .trim(),
    )
    .filter(({ length }) => length >= MIN_LENGTH && length < MAX_LENGTH)
    .flatMap((text) => [text, String(new URLSearchParams({ '': text })).slice(1)])
    .map(fold)

/** Whether `text` contains one of `typed`, as previews and mirrored attributes do. */
export const repeats = (text: string, typed: readonly string[]): boolean =>
  typed.some((each) => fold(text).includes(each))

/** What extensions use of this: an import would make chunks of it in the npm build. */
export const typing = { fields, follow: followTyping, texts: typedTexts }
