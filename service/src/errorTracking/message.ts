/** What differs between errors with one cause, and its replacement. The order matters: an email address contains a host. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '<email>'],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi, '<url>'],
  [/\b(?:[a-z0-9-]+\.){1,5}(?:com|net|org|io|dev|app|de|uk|fr|co|local|internal)\b(?::\d+)?/gi, '<host>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '<ip>'],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}(?![\w:])/gi, '<ip>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b/gi, '<hash>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<date>'],
  [/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|minutes?|hours?|days?)\b/g, '<duration>'],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b/gi, '<hex>'],
  [/'[^'\n]{1,200}'|"[^"\n]{1,200}"|`[^`\n]{1,200}`/g, '<value>'],
  [/-?\b\d+(?:\.\d+)?\b/g, '<number>'],
]

const MAX_LENGTH = 1_000

/** Returns a message without the values that differ between errors with one cause, such as ids and URLs. */
export const normalizeMessage = (message: string): string =>
  REPLACEMENTS.reduce((text, [pattern, name]) => text.replace(pattern, name), message.slice(0, MAX_LENGTH)).trim()
