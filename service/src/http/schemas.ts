import { type TSchema, Type } from '@sinclair/typebox'

/** Time as an ISO 8601 string in UTC. */
export const TIME = Type.String({ format: 'date-time' })

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** Returns the schema of a string that is one of `values`. */
export const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values] })

/** Object with any fields. */
export const ANY_OBJECT = Type.Record(Type.String(), Type.Unknown())

/** Returns the schema of a response with all results on one page, see `page` in `request.ts`. */
export const pageOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ count: Type.Integer(), next: Type.Null(), previous: Type.Null(), results: Type.Array(schema) })
