import { onForeignWrite } from '../browser/foreignWrite'
import { onOnline } from '../browser/online'
import { onPageLeave, onPageLeft, onPageRestored } from '../browser/pageExit'
import { isHidden, onVisibilityChange } from '../browser/visibility'
import type { Stop } from '../types'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import type { Emit } from './feature'

/** Handles changes of the page: hidden, left, restored from the back/forward cache, online, storage changed by another tab. */
export const startPageLifecycle = (
  { session, store, tabStore, cookies }: Context,
  { queue, outbox, isOutboxKey }: Delivery,
  emit: Emit,
  /** Applies changes from other tabs. */
  readShared: () => void,
  /** Captures the events that wait for a later task. */
  captureDelayed: () => void,
  /** Lets features capture what happened until now. */
  leave: (isNextPerson: boolean) => void,
): Stop => {
  const stops = [
    onPageLeave(() => {
      captureDelayed()
      leave(false)
    }),
    onPageLeft(() => {
      session.release()
      queue.onPageLeave()
      store.flush()
      tabStore.flush()
    }),
    onPageRestored(() => {
      readShared()
      session.claim()
      outbox.align()
      queue.retryNow()
    }),
    onVisibilityChange(() => {
      if (isHidden()) {
        captureDelayed()
        queue.flush()
      } else readShared()
    }),
    onForeignWrite(({ key, newValue }) => {
      if (!isOutboxKey(key)) readShared()
      // An earlier page may write its journal only after this one has started.
      else if (newValue) outbox.watch(key)
    }),
    cookies?.onChange(readShared) ?? (() => {}),
    onOnline(() => {
      queue.retryNow()
      emit((each) => each.onOnline?.())
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
