import { INIT, OFF, ON } from '../../../config/options'
import { COOKIES } from '../../../state/backends/cookie'
import type { Feature } from '../../feature'

/** Stores ids and consent in cookies too, which subdomains share. */
export const cookies = {
  name: 'cookies',
  options: {
    cross_subdomain_cookie: ON,
    secure_cookie: OFF,
    cookie_expiration: [365, 'number'],
    opt_out_capturing_persistence_type: ['localStorage', "'localStorage' | 'cookie'", INIT],
  },
  provides: { cookies: COOKIES },
} satisfies Feature
