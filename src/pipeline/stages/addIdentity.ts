import { type Stage, withProperties } from '../stage'

/** Adds the project's token and whether the visitor is identified. */
export const addIdentity =
  (token: string, isIdentified: () => boolean): Stage =>
  (event, _, then) =>
    withProperties(event, { token, $is_identified: then?.isIdentified ?? isIdentified() })
