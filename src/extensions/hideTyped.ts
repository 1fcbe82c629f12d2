import type { Typing } from '../host'

const STARS = '*****'
// What `Typing.fold` folds as one: escaped characters, or one character.
const PART = /(?:%(?:25)*[\da-f]{2})+|\\u[\da-f]{4}|\\[nrt]|[^]/giu

/** A text that is searched for forms, and the part of the original that each of its characters is made of. */
interface Layer {
  text: string
  starts: number[]
  ends: number[]
}

const layerOf = (text: string, fold: Typing['fold'], separator: string): Layer => {
  const layer: Layer = { text: '', starts: [], ends: [] }
  for (const { 0: part, index: start } of ` ${text} `.matchAll(PART))
    for (const char of fold(part).replace(/ /g, separator).split('')) {
      if (char === ' ' && layer.text.endsWith(' ')) continue
      layer.text += char
      layer.starts.push(start - 1)
      layer.ends.push(start - 1 + part.length)
    }
  return layer
}

/** Replaces what the user typed (`Typing.texts`) with asterisks wherever `text` repeats it, in whatever formatting. */
export const hideTyped = (
  text: string,
  typed: readonly string[],
  { repeats, fold, isAcrossWords }: Pick<Typing, 'repeats' | 'fold' | 'isAcrossWords'>,
): string => {
  if (!repeats(text, typed)) return text
  const [words, letters] = [layerOf(text, fold, ' '), layerOf(text, fold, '')]
  const isHidden: boolean[] = []
  const hide = (
    form: string,
    found: string,
    rangeOf: (first: number, last: number) => [start: number, end: number],
  ) => {
    const before = form.search(/\S/)
    for (let at = found.indexOf(form); at >= 0; at = found.indexOf(form, at + 1)) {
      const [start, end] = rangeOf(at + before, at + form.trimEnd().length - 1)
      for (let index = start; index < end; index++) isHidden[index] = true
    }
  }
  for (const form of typed) {
    const layer = isAcrossWords(form) ? letters : words
    hide(form, layer.text, (first, last) => [layer.starts[first]!, layer.ends[last]!])
    hide(form, text, (first, last) => [first, last + 1])
  }
  // Folded part by part, a rare script may differ from the text folded as a whole.
  if (!isHidden.length) return STARS
  return text.split('').reduce((shown, char, index) => {
    if (!isHidden[index]) return shown + char
    return isHidden[index - 1] ? shown : shown + STARS
  }, '')
}
