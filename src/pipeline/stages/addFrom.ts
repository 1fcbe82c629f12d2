import type { Properties } from '../../types'
import { type Stage, withDefaults } from '../stage'

/** Adds the properties that `read` returns; the event's own win. */
export const addFrom =
  (read: () => Readonly<Properties>): Stage =>
  (event) =>
    withDefaults(event, read())
