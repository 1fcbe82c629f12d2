/** A JSON object with any fields. */
export type Fields = Readonly<Record<string, unknown>>
