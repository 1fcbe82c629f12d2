import type { ValidationIssue } from '../../lib/apiError.ts'
import { own } from '../../lib/own.ts'
import type { Choice } from './runToken.ts'

/** The values that a reader may set each variable to. */
export type Choices = Readonly<Record<string, readonly Choice[]>>

const listed = (choices: readonly Choice[]): string => choices.map((choice) => JSON.stringify(choice)).join(', ')

// An empty list is no choice: many queries read it as "all".
const isChoice = (value: unknown, choices: readonly Choice[]): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.length <= choices.length && value.every((item) => choices.includes(item as Choice))
    : choices.includes(value as Choice)

/** Returns why the values of a run are not allowed. A variable with choices must be set: without it, an insight has all values. */
export const faultsOfChoices = (
  given: Readonly<Record<string, unknown>>,
  allowed: Choices,
): readonly ValidationIssue[] =>
  Object.entries(allowed).flatMap(([path, choices]): ValidationIssue[] => {
    const value = own(given, path)
    if (value === undefined)
      return [{ path, code: 'required', message: `"${path}" is required: one of ${listed(choices)}` }]
    return isChoice(value, choices)
      ? []
      : [{ path, code: 'not_allowed', message: `"${path}" must be one of ${listed(choices)}` }]
  })
