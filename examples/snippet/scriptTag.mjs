import { readFileSync } from 'node:fs'

const SOURCE = readFileSync(new URL('./snippet.js', import.meta.url), 'utf8')

/** The snippet with its comments, to read. */
export const readableSnippet = SOURCE.trim()

/** The snippet without comments, on one line, to paste. */
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
 * Returns the markup for the <head> of a page: the snippet and its call of `init`. `nonce`: for a page with a
 * Content-Security-Policy. `snippet`: default `oneLineSnippet`.
 */
export const scriptTag = ({ token, config, nonce, snippet = oneLineSnippet }) =>
  [
    nonce ? `<script nonce="${nonce}">` : '<script>',
    // `init` is called on the result of the snippet, which is window.trailmark if another library owns window.analytics.
    `  ${snippet.replaceAll('\n', '\n  ')}`,
    `    .init(${toScriptText(token)}, ${toScriptText(config)})`,
    '</script>',
  ].join('\n')

const toAttribute = (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Returns the script element that starts the SDK without a snippet. `url`: the service's URL. */
export const shortScriptTag = ({ token, url, nonce }) =>
  `<script src="${toAttribute(url)}/static/analytics.js" data-token="${toAttribute(token)}"${nonce ? ` nonce="${nonce}"` : ''} async></script>`
