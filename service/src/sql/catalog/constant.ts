import type { Sql } from './physical.ts'

export type Plain = string | number | boolean | readonly string[]
type Answer = string | number | boolean | undefined
type Convert = (value: Plain) => Plain
export type Question<A extends Answer = Answer> = (value: Plain) => A

/** The value of a literal or a variable while a query is compiled. */
export interface Constant {
  /** Returns a fact about the value. The compiled text then fits all values with the same answer. `question` must be pure. */
  ask<A extends Answer>(question: Question<A>): A
  /** Returns the value in another form. `convert` must be pure. */
  map(convert: Convert): Constant
  /** Returns the value as a parameter of an engine type. */
  toSql(type: string): Sql
}

/** Returns a value that never changes. */
export const constantOf = (value: Plain): Constant => ({
  ask: (question) => question(value),
  map: (convert) => constantOf(convert(value)),
  toSql: (type) => ({ kind: 'parameter', type, value }),
})

/** A value that is computed from a variable. */
export interface Derived {
  readonly variable: string
  readonly convert: Convert
}

/** A fact about a variable that a compiled text depends on. */
export interface Fact extends Derived {
  readonly question: Question
  readonly answer: Answer
}

/** Notes what a compiled text depends on. */
export interface Dependencies {
  readonly facts: readonly Fact[]
  readonly derived: ReadonlyMap<object, Derived>
  /** Returns the value of a variable. Reading it in any other way than as a parameter is noted as a fact. */
  constant(variable: string, value: Plain): Constant
  /** Ends the notes: printing reads the values of parameters, but the text does not contain them. */
  close(): void
}

const exactly: Question = (value) => (typeof value === 'object' ? JSON.stringify(value) : value)
const same: Convert = (value) => value
// Apart from `constant`, so that what is kept of a text refers to no value.
const inTurn =
  (first: Convert, next: Convert): Convert =>
  (value) =>
    next(first(value))

export const createDependencies = (): Dependencies => {
  const facts: Fact[] = []
  const derived = new Map<object, Derived>()
  let isOpen = true

  const constant = (variable: string, convert: Convert, current: Plain): Constant => {
    const self: Constant = {
      ask(question) {
        const answer = question(current)
        if (isOpen) facts.push({ variable, convert, question, answer })
        return answer
      },
      map: (next) => constant(variable, inTurn(convert, next), next(current)),
      toSql(type) {
        const node = {
          kind: 'parameter' as const,
          type,
          get value() {
            self.ask(exactly)
            return current
          },
        }
        derived.set(node, { variable, convert })
        return node
      },
    }
    return self
  }

  return {
    facts,
    derived,
    constant: (variable, value) => constant(variable, same, value),
    close() {
      isOpen = false
    },
  }
}
