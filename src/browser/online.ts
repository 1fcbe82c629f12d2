import { domSignal } from './signal'

/** Fires when the browser is online again. */
export const onOnline = domSignal(() => self, ['online'])
