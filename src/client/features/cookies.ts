import { COOKIES } from '../../state/backends/cookie'
import type { Feature } from '../feature'

/** Stores ids and consent in cookies too, which subdomains share. */
export const cookies: Feature = { name: 'cookies', provides: { cookies: COOKIES } }
