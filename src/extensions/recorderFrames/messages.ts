/** The member that identifies all messages between windows. */
export const NAME = 'trailmark recording'

/**
 * From a frame to its parent: the frame's recorder is running. It contains nothing else, because any page may embed the
 * frame.
 */
export const HELLO = { [NAME]: 'frame' }

/** From a recording parent to a frame, with a port for the frame's events. */
export const REQUEST = { [NAME]: 'record' }

/** Messages from the parent through the port. */
export type ToFrame = 'snapshot' | 'stop'

/** Whether the data of a message between windows is `message`. */
export const isMessage = (data: unknown, message: { [NAME]: string }): boolean =>
  (data as Record<string, unknown> | null)?.[NAME] === message[NAME]
