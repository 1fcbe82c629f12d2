import { type Redact, sanitizeUrl } from './urls'
import { hashData } from './text'

const URL_VALUE = /url\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)]*)\s*\)/gi
const STRING = /(=\s*)?("(?:[^"\\]|\\[\s\S])*(?:"|$)|'(?:[^'\\]|\\[\s\S])*(?:'|$))/g
const VARIABLE = /(--[\w-]+\s*:)([^;{}]*)/g
const COMMENT = /\/\*[\s\S]*?(\*\/|$)/g
// Between the rules of the text nodes of a style element (rrweb).
const SPLIT = '/* rr_split */'
// Words in selectors such as `[type="checkbox"]`.
const WORD = /^.[a-z-]{1,24}.$/i

/**
 * Sanitizes CSS: the text of a style sheet, rules, or the value of a `style` attribute. Without `redact`, strictly: it has no strings other than words
 * in selectors, no URLs other than fragments, no comments, no names in variables, and nothing that looks like data.
 */
export const sanitizeCss = (css: string, redact?: Redact): string => {
  if (redact)
    return css.replace(URL_VALUE, (_, url: string) => {
      const quote = /^["']/.exec(url)?.[0] ?? ''
      return `url(${quote}${sanitizeUrl(quote ? url.slice(1, -1) : url, redact)}${quote})`
    })
  return hashData(
    css
      .split(SPLIT)
      .map((part) =>
        part
          .replace(COMMENT, '')
          .replace(URL_VALUE, (_, url: string) => (/^["']?#[\w-]+["']?$/.test(url) ? `url(${url})` : 'url()'))
          // Keywords are in lower case, functions may not be.
          .replace(
            VARIABLE,
            (_, name: string, value: string) =>
              name + (/[A-Z]/.test(value.replace(/[\w-]+\(|#[\da-f]+/gi, '')) ? ' ' : value),
          )
          .replace(STRING, (_, equals: string | undefined, text: string) =>
            equals && WORD.test(text) ? equals + text : `${equals ?? ''}""`,
          ),
      )
      .join(SPLIT),
  )
}
