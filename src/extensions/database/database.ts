import type { Extension } from '../contract'

/** Opens the database of a tab, in which waiting events are stored in an outage or if they are many. */
export { openDatabase } from './openDatabase'

/** The outbox takes `openDatabase`. There is nothing to start. */
export const start: Extension['start'] = () => () => {}
