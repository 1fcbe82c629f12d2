import { domSignal } from './signal'

/** Another tab, or another worker, has written to local storage or what stands in for it. */
export const onForeignWrite = domSignal<StorageEvent>(() => self, ['storage'])
