const SAFE = Symbol('safe')

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeText = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character])

const toMarkup = (value) => {
  if (value === undefined || value === null || value === false) return ''
  if (Array.isArray(value)) return value.map(toMarkup).join('')
  return value[SAFE] ?? escapeText(String(value))
}

/** Markup that is known to be safe: our own art, not anything that came from outside. */
export const raw = (markup) => ({ [SAFE]: markup })

/**
 * A piece of a page. What is put in is escaped, unless it is itself a piece; lists are joined; undefined, null and
 * false leave nothing. Attributes must be quoted: escaping counts on it.
 */
export const html = (strings, ...values) => raw(String.raw({ raw: strings }, ...values.map(toMarkup)))

/** The text of a finished piece. */
export const toText = (piece) => toMarkup(piece)
