import { INIT, OFF } from '../../../config/options'
import { connectConsent } from '../../consentApi'
import type { Feature } from '../../feature'
import { createPermissions } from '../../permissions'
import { CONSENT_METHODS } from './methods'

/** Lets visitors decide whether events are captured, and what is stored until then. */
export const consent = {
  name: 'consent',
  methods: CONSENT_METHODS,
  options: {
    opt_out_capturing_by_default: OFF,
    opt_out_persistence_by_default: OFF,
    cookieless_mode: [undefined, "'always' | 'on_reject'"],
    consent_persistence_name: ['', 'string | null', INIT],
    opt_out_capturing_cookie_prefix: ['', 'string | null', INIT],
    respect_dnt: OFF,
  },
  provides: { createPermissions },
  connect: connectConsent,
} satisfies Feature
