import { looksSensitive } from './sensitive'

// A URL parameter, also of a URL within a parameter, whose name says that its value is a secret.
const SECRET_PARAMETER =
  /((?:[?&#]|%3F|%26|%23)[\w.[\]-]*(?:pass(?:word|wd|code|phrase)?|pwd|secret|token|otp|ssn|cvc|cvv|csc|card_?(?:number|num|no)|api_?key|signature|trailmark_toolbar)(?:\]|%5D)?(?:=|%3D))[^&#\s"\\]+/gi
// A parameter or a segment of the path that consists of digits.
const NUMBER = /([=/]|%3D|%2F)(\d(?:[\d-]|%20|\+){8,25}\d)(?![^&#/?\s"%])/gi

/** Returns `text` without the values of secret parameters of URLs in it. */
export const redactSecrets = (text: string): string =>
  // Most strings have no parameters. Until one has, the long expression is not compiled, which saves 11 kB of memory.
  /[?&#%]/.test(text) ? text.replace(SECRET_PARAMETER, '$1redacted') : text

/** Returns `text` without values of secret parameters, payment card and social security numbers in its URLs. */
export const redactUrls = (text: string): string =>
  redactSecrets(text).replace(NUMBER, (whole, before: string, digits: string) =>
    looksSensitive(digits.replace(/%20|\+/g, '')) ? `${before}redacted` : whole,
  )
