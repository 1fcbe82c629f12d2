// Prefixes and lengths in use: Visa, Mastercard, Discover and UnionPay, Amex, Diners, JCB.
const CARD =
  /^(4\d{15}(\d{3})?|(5[1-5]|2[2-7])\d{14}|6[0245]\d{14,17}|3[47]\d{13}|3(0[0-5]|[689]\d)\d{11}|(2131|1800|35\d{3})\d{11})$/
const SOCIAL_SECURITY = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/

/** Whether the digits satisfy the checksum of payment cards. https://en.wikipedia.org/wiki/Luhn_algorithm */
const hasChecksum = (digits: string): boolean => {
  let sum = 0
  for (let index = digits.length, doubled = 0; index--; doubled ^= 1) {
    const digit = +digits[index]! << doubled
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

/** Whether a string is, as a whole, a payment card or social security number. */
export const looksSensitive = (text: string): boolean => {
  const digits = text.replace(/[- ]/g, '')
  return (CARD.test(digits) && hasChecksum(digits)) || SOCIAL_SECURITY.test(text.trim())
}

// Candidates for such numbers within a string, in the usual groups: 4-4-4-4, 4-6-5, 3-2-4. Nine digits in a row are
// rather an order number. Without look-behind, with which Safari before 16.4 rejects the whole script.
const CANDIDATE =
  /(^|\D)((?:\d{4}[ -]?){3}\d{1,4}|\d{4}[ -]?\d{6}[ -]?\d{4,5}|\d{17,19}|\d{3}[- ]\d{2}[- ]\d{4})(?!\d)/g

/** Returns `text` without sensitive numbers, with white space collapsed; '' if all of it is sensitive. */
export const withoutSensitive = (text: string): string => {
  const folded = text
    .replace(CANDIDATE, (whole, before: string, found: string) => (looksSensitive(found) ? before : whole))
    .split(/\s+/)
    .join(' ')
    .trim()
  return looksSensitive(folded) ? '' : folded
}

/** Names of fields with sensitive content (docs/reference/protocol.md#12.3). */
export const SENSITIVE_NAME =
  /^cc|cardnum|ccnum|creditcard|csc|cvc|cvv|exp|pass|pwd|routing|seccode|securitycode|securitynum|socialsec|socsec|ssn/i
