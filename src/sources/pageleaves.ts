import { onPageLeave } from '../browser/pageExit'
import type { Host } from '../host'
import type { Stop } from '../types'

/** `$pageleave` when the page goes. */
export const startPageleaves = ({ capture }: Pick<Host, 'capture'>, leave = onPageLeave): Stop =>
  leave(() => capture('$pageleave'))
