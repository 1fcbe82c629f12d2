/** Kind of a condition's value. */
type Takes = 'values' | 'value' | 'nothing'

interface Operator {
  readonly label: string
  readonly takes: Takes
}

/** Operators of a flag's conditions on properties, by the API's name. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  exact: { label: 'is', takes: 'values' },
  is_not: { label: 'is not', takes: 'values' },
  icontains: { label: 'contains', takes: 'value' },
  not_icontains: { label: 'does not contain', takes: 'value' },
  icontains_multi: { label: 'contains any of', takes: 'values' },
  not_icontains_multi: { label: 'contains none of', takes: 'values' },
  regex: { label: 'matches the regular expression', takes: 'value' },
  not_regex: { label: 'does not match the regular expression', takes: 'value' },
  gt: { label: 'is greater than', takes: 'value' },
  gte: { label: 'is at least', takes: 'value' },
  lt: { label: 'is less than', takes: 'value' },
  lte: { label: 'is at most', takes: 'value' },
  is_set: { label: 'is set', takes: 'nothing' },
  is_not_set: { label: 'is not set', takes: 'nothing' },
  is_date_exact: { label: 'is on the date', takes: 'value' },
  is_date_before: { label: 'is before the date', takes: 'value' },
  is_date_after: { label: 'is after the date', takes: 'value' },
  semver_eq: { label: 'is the version', takes: 'value' },
  semver_neq: { label: 'is not the version', takes: 'value' },
  semver_gt: { label: 'is newer than the version', takes: 'value' },
  semver_gte: { label: 'is the version or newer', takes: 'value' },
  semver_lt: { label: 'is older than the version', takes: 'value' },
  semver_lte: { label: 'is the version or older', takes: 'value' },
  semver_tilde: { label: 'is a patch of the version (~)', takes: 'value' },
  semver_caret: { label: 'is compatible with the version (^)', takes: 'value' },
  semver_wildcard: { label: 'matches the version (1.2.*)', takes: 'value' },
}

/** The operator of conditions on other flags. */
export const FLAG_OPERATOR = 'flag_evaluates_to'

/** Returns what an operator takes. Unknown ones take a value. */
export const takesOf = (operator: string): Takes =>
  Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator]!.takes : 'value'

export const operatorLabel = (operator: string): string =>
  operator === FLAG_OPERATOR ? 'is' : Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator]!.label : operator
