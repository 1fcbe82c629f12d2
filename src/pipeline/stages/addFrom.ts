import type { Properties } from '../../types'
import { type Stage, withDefaults } from '../stage'

/** What `read` tells, under what the event says itself: stored values that ride on every event, the session's, a feature's. */
export const addFrom =
  (read: () => Readonly<Properties>): Stage =>
  (event) =>
    withDefaults(event, read())
