import { refusalCookie } from '../../../state/backends/refusalCookie'
import type { Feature } from '../../feature'
import { consent as row } from './consent'

/** Consent for apps that may lack cookies. It still finds a refusal in a cookie. */
export const consent: Feature = { ...row, provides: { ...row.provides, refusalCookie } }
