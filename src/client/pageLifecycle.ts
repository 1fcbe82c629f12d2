import { onForeignWrite } from '../browser/foreignWrite'
import { onOnline } from '../browser/online'
import { onPageLeft, onPageRestored } from '../browser/pageExit'
import { isHidden, onVisibilityChange } from '../browser/visibility'
import type { Stop } from '../types'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import type { Emit } from './feature'

/** Keeps a client in step with its page: hidden, left, restored, online, and written to by another tab. */
export const startPageLifecycle = (
  { session, store, tabStore }: Context,
  { queue, outbox, isOutboxKey }: Delivery,
  emit: Emit,
  /** Takes over what other tabs have changed. */
  adopt: () => void,
): Stop => {
  const stops = [
    onPageLeft(() => {
      session.release()
      queue.leave()
      store.flush()
      tabStore.flush()
    }),
    onPageRestored(() => {
      adopt()
      session.claim()
      outbox.align()
      queue.wake()
    }),
    onVisibilityChange(() => {
      if (isHidden()) queue.flush()
      else adopt()
    }),
    onForeignWrite(({ key, newValue }) => {
      adopt()
      // A page that is left may end after the next one has begun.
      if (newValue && isOutboxKey(key)) queue.takeOver()
    }),
    onOnline(() => {
      queue.wake()
      emit('onOnline')
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
