import type { Feature } from '../feature'
import { campaign } from './campaign/campaign'
import { consent } from './consent/consent'
import { cookies } from './cookies/cookies'
import { device } from './device/device'
import { durable } from './durable/durable'

/** What the core needs for complete events, and to keep them and the visitor's ids. */
export const BASE: readonly Feature[] = [durable, consent, cookies, campaign, device]
