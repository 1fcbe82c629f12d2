import type { Properties } from '../types'

/** Ids of a session and of the browser tab in it. */
export interface SessionIds {
  sessionId: string
  windowId: string
}

/** When and where a call was made that runs later. */
export interface CallMoment {
  at: Date
  url: string
}

/** What an event that is captured later takes from the moment it happened. */
export interface Moment {
  at: Date
  /** URL of the page. */
  url: string
  /** Ids of the session; undefined if there was none. */
  session?: SessionIds
  /** Ids of the visitor, groups, super properties, campaign and referrer. The same objects until one changes. */
  layers: readonly Readonly<Properties>[]
  isIdentified: boolean
  /** Whether events processed a person. */
  processesPerson: boolean
  /** Number of the person on this page. */
  person: number
}

/** The moment of a call that runs later. It has no person if the client did not exist. */
export type EarlyMoment = CallMoment & Partial<Moment> & { /** An error of the call, for its stack. */ trace?: Error }
