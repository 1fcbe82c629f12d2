import { own } from '../../lib/own.ts'

// Escapes the characters that would end or change a quoted string. A lone surrogate has no UTF-8 encoding.
const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
}
const NUMERAL = /^(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)$/
const PARAMETER_TYPE = /^[A-Za-z0-9]+(?:\((?:[A-Za-z0-9]+|3, 'UTC')\))?$/

const escape = (value: string): string =>
  value.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\\'`\0\n\r\t\b\f]/g, (char) => own(ESCAPED, char)!)

/** Prints a string literal. */
export const textLiteral = (value: string): string => `'${escape(value)}'`

/** Prints a number as written in the query. */
export const numberLiteral = (digits: string): string => {
  if (!NUMERAL.test(digits)) throw new Error(`Not a number: ${digits}`)
  return digits
}

/** Prints a name, always in backticks. */
export const nameLiteral = (value: string): string => `\`${escape(value)}\``

/** Collects the parameters of a statement, by name. The text refers to them as `{p0:String}`. */
export const createParameters = () => {
  const values = new Map<string, unknown>()
  const names = new Map<object, string>()
  let count = 0
  return {
    /** Returns the value of each placeholder. */
    values: (): Record<string, unknown> => Object.fromEntries(values),
    /** Returns the placeholder of each owner. */
    names: (): ReadonlyMap<object, string> => names,
    /** Returns the placeholder of a value. The same `owner` gets the same placeholder each time. */
    place: (owner: object, type: string, value: unknown, wanted?: string): string => {
      if (!PARAMETER_TYPE.test(type)) throw new Error(`Not a parameter type: ${type}`)
      const name = names.get(owner) ?? wanted ?? `p${count++}`
      names.set(owner, name)
      values.set(name, value)
      return `{${name}:${type}}`
    },
  }
}
