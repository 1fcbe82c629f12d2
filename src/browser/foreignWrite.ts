import { domSignal } from './signal'

/** Fires when another tab or worker has written to local storage, or to its replacement in workers. */
export const onForeignWrite = domSignal<StorageEvent>(() => self, ['storage'])
