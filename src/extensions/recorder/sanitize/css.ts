import { type Redact, sanitizeUrl } from './urls'
import { hashData } from './text'

// To the end of the text if nothing closes it, so that no part of a text is searched twice.
const URL_VALUE = /url\(((?:\s*"(?:[^"\\]|\\[^])*"|\s*'(?:[^'\\]|\\[^])*')?[^)]*)(?:\)|$)/gi
const QUOTED = /^(["']?)([^]*)\1$/
const STRING = /(=\s*)?("(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$))/g
const VARIABLE = /(--[\w-]+)(?:(\s*:)([^;{}]*))?/g
const FUNCTION_OR_COLOR = /[\w-]+\(|#[\da-f]+|([\w-]+)/gi
const COMMENT = /\/\*[^]*?(\*\/|$)/g
// Separator that rrweb puts between the rules of a style element's text nodes.
const SPLIT = '/* rr_split */'
// Words in selectors such as `[type="checkbox"]`.
const WORD = /^.[a-z-]{1,24}.$/i

/**
 * Sanitizes CSS: the text of a style sheet, rules, or the value of a `style` attribute. With `redact`, only its URLs.
 * Without it, the result has no strings except words in selectors, no URLs except fragments, no comments, no names in
 * variables, and nothing that looks like data.
 */
export const sanitizeCss = (css: string, redact?: Redact): string => {
  if (redact)
    return css.replace(URL_VALUE, (_, value: string) =>
      value
        .trim()
        .replace(QUOTED, (__, quote: string, url: string) => `url(${quote}${sanitizeUrl(url, redact)}${quote})`),
    )
  return hashData(
    css
      .split(SPLIT)
      .map((part) =>
        part
          .replace(COMMENT, '')
          .replace(URL_VALUE, (_, url: string) => (/^\s*["']?#[\w-]+["']?\s*$/.test(url) ? `url(${url})` : 'url()'))
          // Keywords are in lower case, functions may not be.
          .replace(VARIABLE, (whole, name: string, colon?: string, value?: string) =>
            /[A-Z]/.test((value ?? '').replace(FUNCTION_OR_COLOR, '$1')) ? `${name}${colon} ` : whole,
          )
          .replace(STRING, (_, equals: string | undefined, text: string) =>
            equals && WORD.test(text) ? equals + text : `${equals ?? ''}""`,
          ),
      )
      .join(SPLIT),
  )
}
