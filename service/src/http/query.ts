import type { Static, TSchema } from '@sinclair/typebox'

/** Schemas of query parameters by name: integers, booleans, strings, one of several strings, or lists of strings. */
export type QuerySchemas = Readonly<Record<string, TSchema>>

// Symbols are not part of the OpenAPI document.
const IS_PRESENT: unique symbol = Symbol('present')
/** Member of a schema with the message for requests without the parameter. */
export const WHEN_MISSING: unique symbol = Symbol('missing')
/** Member of a schema with the message for an invalid value. */
export const WHEN_INVALID: unique symbol = Symbol('invalid')

interface Present {
  readonly [IS_PRESENT]: true
}

/** The values of query parameters. A parameter that the request lacks is `undefined`, or its default. */
export type QueryValues<Query extends QuerySchemas> = {
  readonly [Name in keyof Query]: Query[Name] extends Present
    ? Static<Query[Name]>
    : Query[Name] extends { readonly type: 'array' }
      ? Static<Query[Name]>
      : Static<Query[Name]> | undefined
}

/** Returns a schema with a default. */
export const orElse = <Schema extends TSchema>(schema: Schema, value: Static<Schema>): Schema & Present => ({
  ...schema,
  default: value,
  [IS_PRESENT]: true,
})

/** Returns the schema of a parameter that a request must have. `message`: what the sender of one without it reads. */
export const required = <Schema extends TSchema>(schema: Schema, message: string): Schema & Present => ({
  ...schema,
  [WHEN_MISSING]: message,
  [IS_PRESENT]: true,
})

/** Returns a schema with the message that the sender of an invalid value reads. */
export const explained = <Schema extends TSchema>(schema: Schema, message: string): Schema => ({
  ...schema,
  [WHEN_INVALID]: message,
})
