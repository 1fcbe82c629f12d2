import type { RecordedEvent, RecorderParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import type { Capture } from './capture'
import type { Policy } from './sanitize/policy'
import { createSanitizer, type NodeOf } from './sanitize/sanitize'

/** Connects the page with the cross-origin frames in it and with its parent page. `recorderFrames` does both. */
export const createFrames = (host: ExtensionHost & RecorderParts, policy: Policy) => {
  let post: ((event: RecordedEvent) => void) | undefined
  let onSnapshot = () => {}
  return {
    /** Where events go instead of the chunks, because the page around this one records it; undefined: they are the page's own. */
    toParent: () => post,
    /** Returns the facts that decide whether the page is recorded. If its parent page records it, the parent's triggers decide. */
    factsOf: <F extends object>(facts: F): F =>
      post ? { ...facts, isSampled: undefined, triggers: [], groups: undefined } : facts,
    /** Called when the page has recorded a full snapshot. */
    onSnapshot: (): void => void host.later(() => onSnapshot(), 0),
    /** Calls `onChange` when the page around this one begins or stops to record it. */
    start: ({ openId, receive, pageUrl, mark }: Capture, onChange: () => void): Stop =>
      host.config.session_recording.recordCrossOriginIframes
        ? host.startExtension('recorderFrames', {
            ...host,
            recordsFrames: !policy.isStrict,
            openId,
            mark,
            receiver: (nodeOf: NodeOf) => {
              const { sanitize } = createSanitizer({ ...policy, findsBlocked: true }, nodeOf, pageUrl)
              return (event) => receive(event, sanitize)
            },
            onSnapshot: (listener) => {
              onSnapshot = listener
              return () => (onSnapshot = () => {})
            },
            onParent: (next) => {
              post = next
              onChange()
            },
          })
        : () => {},
  }
}
