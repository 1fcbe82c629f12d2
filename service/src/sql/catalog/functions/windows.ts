import type { Signatures } from './signatures.ts'

/** Functions that require OVER (…). Aggregate functions accept OVER too. */
export const WINDOW_FUNCTIONS: Signatures = {
  row_number: '-> number!',
  rank: '-> number!',
  dense_rank: '-> number!',
  percent_rank: '-> number!',
  cume_dist: '-> number!',
  ntile: 'integer -> number!',
  lag: 'any integer? any? -> same?',
  lead: 'any integer? any? -> same?',
  lagInFrame: 'any integer? any? -> same',
  leadInFrame: 'any integer? any? -> same',
  nth_value: 'any integer -> same?',
  first_value: 'any -> same',
  last_value: 'any -> same',
}
