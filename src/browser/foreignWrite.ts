import { domSignal } from './signal'

/** Another tab has written to local storage. */
export const onForeignWrite = domSignal<StorageEvent>(() => window, ['storage'])
