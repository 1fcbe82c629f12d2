/** An object of JSON with any fields. */
export type Fields = Readonly<Record<string, unknown>>
