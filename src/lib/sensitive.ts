// Whole values only, spaces and dashes removed: Visa, Mastercard, Discover, Amex, Diners, JCB. No checksum: a mistyped
// card number is still somebody's.
const CARD =
  /^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$/
const SOCIAL_SECURITY = /^\d{3}-?\d{2}-?\d{4}$/

/** Whether a text is, as a whole, a payment card or social security number. */
export const looksSensitive = (text: string): boolean =>
  CARD.test(text.replace(/[- ]/g, '')) || SOCIAL_SECURITY.test(text.trim())

// What may be such a number within a text, in the groups that people write: 4-4-4-4, 4-6-5, 3-2-4. Without look-behind,
// for which Safari before 16.4 refuses the whole script.
const CANDIDATE = /(^|\D)((?:\d{4}[ -]?){3}\d{1,4}|\d{4}[ -]?\d{6}[ -]?\d{4,5}|\d{3}-?\d{2}-?\d{4})(?!\d)/g

/** `text` without the numbers in it that look sensitive, white space folded; '' when the whole of it does. */
export const withoutSensitive = (text: string): string => {
  const folded = text
    .replace(CANDIDATE, (whole, before: string, found: string) => (looksSensitive(found) ? before : whole))
    .split(/\s+/)
    .join(' ')
    .trim()
  return looksSensitive(folded) ? '' : folded
}

/** Names of fields whose content is nobody's business (protocol.md §12.3). */
export const SENSITIVE_NAME =
  /^cc|cardnum|ccnum|creditcard|csc|cvc|cvv|exp|pass|pwd|routing|seccode|securitycode|securitynum|socialsec|socsec|ssn/i
