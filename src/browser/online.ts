import { domSignal } from './signal'

/** The browser has a network again. */
export const onOnline = domSignal(() => self, ['online'])
