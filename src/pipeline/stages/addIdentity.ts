import { type Stage, withProperties } from '../stage'

/** Whose event it is: the project's token, and whether the visitor has a name. */
export const addIdentity =
  (token: string, isIdentified: () => boolean): Stage =>
  (event) =>
    withProperties(event, { token, $is_identified: isIdentified() })
