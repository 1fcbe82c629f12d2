/** The member that all messages between windows have. */
export const NAME = 'trailmark recording'

/** From a frame to its parent: its recorder runs. It says nothing else, because any page may embed the frame. */
export const HELLO = { [NAME]: 'frame' }

/** From a parent that records to a frame, with a port for what the frame records. */
export const REQUEST = { [NAME]: 'record' }

/** What the parent says through the port. */
export type ToFrame = 'snapshot' | 'stop'

/** Returns whether a message between windows is one of these. */
export const isMessage = (data: unknown, message: { [NAME]: string }): boolean =>
  (data as Record<string, unknown> | null)?.[NAME] === message[NAME]
