import type { Stop } from '../types'
import { foldText, isAcrossWords, repeats, typedForms } from '../lib/typedForms'
import { listen } from './signal'

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

/**
 * Returns the forms of what persons typed into fields, as they may appear in text and in URLs. For `repeats`.
 * `except`: an editor whose content is left out.
 */
export const typedTexts = (except?: Element): string[] =>
  [...fields]
    .filter((field) => field !== except)
    .map((field) =>
      String((field as HTMLInputElement).value ?? field.textContent)
        .replace(/^C:\\fakepath\\/, '')
        .trim(),
    )
    .filter(({ length }) => length < MAX_LENGTH)
    .flatMap((text) => typedForms(text, document.documentElement.lang || undefined))

/** What extensions use of this: an import would make chunks of it in the npm build. */
export const typing = {
  fields,
  follow: followTyping,
  texts: () => typedTexts(),
  matcher: () => {
    const typed = typedTexts()
    return (text: string) => repeats(text, typed)
  },
  repeats,
  fold: foldText,
  isAcrossWords,
}
