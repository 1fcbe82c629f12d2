import { onPageLeave } from '../browser/pageExit'
import type { Host } from '../host'
import type { Stop } from '../types'

/** Captures `$pageleave` when the page is left. */
export const startPageleaves = ({ capture }: Pick<Host, 'capture'>, leave = onPageLeave): Stop =>
  leave(() => capture('$pageleave'))
