import type { Failure } from '../api/failure.ts'

/** Returns the message about the field at `path`, such as `filters.groups.0`. With `isWithin`, about fields in it too. */
export const errorAt = (failure: Failure | undefined, path: string, { isWithin = false } = {}): string | undefined =>
  failure?.errors.find((each) => each.path === path || (isWithin && each.path.startsWith(`${path}.`)))?.message
