import { eventName } from '../lib/eventNames.ts'

/** An event in a query. */
export type Entity = Readonly<{ event?: string | null; id?: string | null }>

/** Returns the name of an event for a title. */
export const nameOf = ({ event, id }: Entity): string => eventName(event ?? id ?? '')
