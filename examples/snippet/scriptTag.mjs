import { readFileSync } from 'node:fs'

const SOURCE = readFileSync(new URL('./snippet.js', import.meta.url), 'utf8')

/** The snippet as it is read: with its comments, several lines. */
export const readableSnippet = SOURCE.trim()

/** The snippet as it is pasted: the same text without comments, on one line. */
export const oneLineSnippet = SOURCE.split('\n')
  .map((line) => line.trim())
  .filter((line) => line && !line.startsWith('//'))
  .join(' ')

// Inside <script> only `<` can end the element or open a comment; U+2028 and U+2029 are line ends to old parsers.
const toScriptText = (value) =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * What goes into the <head> of a page: the snippet and its one call. `nonce`: for a page with a Content-Security-Policy.
 * `snippet`: `oneLineSnippet` unless you want to read it.
 */
export const scriptTag = ({ token, config, nonce, snippet = oneLineSnippet }) =>
  [
    nonce ? `<script nonce="${nonce}">` : '<script>',
    // Called on what the snippet returns: where another library holds window.analytics, that is window.trailmark.
    `  ${snippet.replaceAll('\n', '\n  ')}`,
    `    .init(${toScriptText(token)}, ${toScriptText(config)})`,
    '</script>',
  ].join('\n')
