import type { Feature } from '../feature'
import { campaign } from './campaign/campaign'
import { consent } from './consent/consent'
import { checks } from './checks/checks'
import { cookies } from './cookies/cookies'
import { device } from './device/device'
import { durable } from './durable/durable'

/** Features that the core needs to complete events, and to keep them and the visitor's ids. */
export const BASE: readonly Feature[] = [checks, durable, consent, cookies, campaign, device]
