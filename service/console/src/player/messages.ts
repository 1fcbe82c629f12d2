/** Messages between the page of a recording and the document that plays it. Times are in ms since the epoch. */

/** An event of rrweb. */
export interface RecordedEvent {
  readonly type: number
  readonly timestamp: number
  readonly data: unknown
}

/** A period to skip. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Messages from the page to the player. */
export type ToPlayer =
  /**
   * Removes all events. The events of another part of the recording follow. `isStill`: whether the recording is shown
   * without a pointer.
   */
  | { readonly type: 'open'; readonly gaps: readonly Span[]; readonly isStill?: boolean }
  /** More events, in order. `isEnd`: there are no more. */
  | { readonly type: 'events'; readonly events: readonly RecordedEvent[]; readonly isEnd: boolean }
  /** Shows a moment, as soon as its events are there. `id`: names the seek in later messages. */
  | { readonly type: 'seek'; readonly id: number; readonly at: number; readonly plays: boolean }
  | { readonly type: 'options'; readonly speed: number; readonly skipsIdle: boolean }

/** Messages from the player to the page. */
export type FromPlayer =
  | { readonly type: 'ready' }
  /** `id`: the last seek. */
  | {
      readonly type: 'time'
      readonly id: number
      readonly at: number
      readonly isPlaying: boolean
      readonly isWaiting: boolean
    }
  | { readonly type: 'size'; readonly width: number; readonly height: number }
  /** The events are not a recording, or some of them cannot be played. */
  | { readonly type: 'failed' }
