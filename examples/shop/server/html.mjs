const SAFE = Symbol('safe')

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeText = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character])

const toMarkup = (value) => {
  if (value === undefined || value === null || value === false) return ''
  if (Array.isArray(value)) return value.map(toMarkup).join('')
  return value[SAFE] ?? escapeText(String(value))
}

/** Marks markup as safe: our own drawings, never input. */
export const raw = (markup) => ({ [SAFE]: markup })

/**
 * Builds a piece of a page. Values are escaped unless they are pieces; lists are joined; undefined, null and false
 * become nothing. Attributes must be quoted, because escaping relies on it.
 */
export const html = (strings, ...values) => raw(String.raw({ raw: strings }, ...values.map(toMarkup)))

/** Returns the text of a piece. */
export const toText = (piece) => toMarkup(piece)
