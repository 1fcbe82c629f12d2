import { guarded } from '../lib/guard'
import { objectOf } from '../lib/objects'
import type { UserConfig } from './settings'

/** Copies what the site passed. A getter that throws logs a line and leaves its member undefined. */
export const readable = (options: UserConfig): UserConfig =>
  objectOf(Object.keys(options), (name) => guarded(() => options[name]))
