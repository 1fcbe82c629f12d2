/** A schema of zod, valibot, ArkType or another library with the interface Standard Schema (https://standardschema.dev). */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
  }
}

export interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined
}

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export const isStandardSchema = (schema: unknown): schema is StandardSchema =>
  // Schemas of ArkType are functions.
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema

/** Returns the property that an issue is about. */
export const propertyOf = ({ path = [] }: StandardIssue): string =>
  path.map((each) => String(typeof each === 'object' ? each.key : each)).join('.')
