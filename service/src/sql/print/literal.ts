// What would end or change a quoted text is escaped; all else is itself. A lone surrogate has no UTF-8 form.
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
  value.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\\'`\0\n\r\t\b\f]/g, (char) => ESCAPED[char]!)

/** A string literal that reads back as `value`. */
export const textLiteral = (value: string): string => `'${escape(value)}'`

/** A number as the query wrote it. */
export const numberLiteral = (digits: string): string => {
  if (!NUMERAL.test(digits)) throw new Error(`Not a number: ${digits}`)
  return digits
}

/** A name that reads back as `value`, in backticks whatever it is. */
export const nameLiteral = (value: string): string => `\`${escape(value)}\``

/** The names of the values a query text takes, and what they stand for; texts refer to them as `{p0:String}`. */
export const createParameters = () => {
  const values: Record<string, unknown> = {}
  const names = new Map<object, string>()
  let count = 0
  return {
    values,
    /** The place of a value in the text. The same `owner` gets the same place each time. */
    place: (owner: object, type: string, value: unknown, wanted?: string): string => {
      if (!PARAMETER_TYPE.test(type)) throw new Error(`Not a parameter type: ${type}`)
      const name = names.get(owner) ?? wanted ?? `p${count++}`
      names.set(owner, name)
      values[name] = value
      return `{${name}:${type}}`
    },
  }
}
