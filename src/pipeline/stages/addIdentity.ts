import { type Stage, withProperties } from '../stage'

/** Adds the project's token and whether the visitor is identified. */
export const addIdentity =
  (token: string, isIdentified: () => boolean): Stage =>
  (event) =>
    withProperties(event, { token, $is_identified: isIdentified() })
