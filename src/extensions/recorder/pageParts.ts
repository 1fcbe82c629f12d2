import type { eventWithTime } from '@rrweb/types'
import type { RecorderParts } from '../../host'
import type { RecordingReason } from '../../types'
import type { ExtensionHost } from '../contract'
import type { Capture } from './capture'
import type { Facts, Trigger } from './decide'
import type { RemoteSettings } from './settings'
import type { startText } from './snapshotText'

export type RecorderHost = ExtensionHost & RecorderParts

/** Members that `recorderPage` provides to the recorder. */
export interface RecorderPage extends Pick<
  Capture,
  'isIdle' | 'isRunning' | 'mark' | 'onSnapshotText' | 'pause' | 'restart' | 'resume' | 'start' | 'suspend' | 'tick'
> {
  /** Whether everything is masked. */
  isStrict: boolean
  /** Writes the text of a full snapshot in slices. */
  startText: typeof startText
  /** Returns the facts that decide whether the page is recorded. If the page around it records it, that page's triggers decide. */
  factsOf<F extends Pick<Facts, 'isSampled' | 'groups'> & { triggers: readonly Trigger[] }>(facts: F): F
}

/** Members that the recorder adds to the host of `recorderPage`, which reads and masks the page. */
export interface RecorderPageParts {
  /** The project's settings. */
  settings: RemoteSettings
  /** Receives what the extension offers. */
  use(page: RecorderPage): void
  /** Called instead if options or settings are invalid. */
  onInvalid(message: string): void
  /** Receives events that may leave the page. */
  record(event: eventWithTime): void
  /** Characters recorded of the session. */
  size(): number
  snapshotEveryMs(): number | undefined
  /** Counts changes that were left out. */
  onDropped(count: number): void
  /** Called before each event is recorded. */
  onEvent(): void
  /** Called when the visitor did something. */
  onInteraction(): void
  /** Called when rrweb failed, or the budget has stopped the recording. */
  onFailure(reason: RecordingReason): void
  /** Called when the page around this one begins or stops to record it. */
  onParentChange(): void
}
