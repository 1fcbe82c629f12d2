import type { Feature } from '../feature'
import { campaign } from './campaign'
import { consent } from './consent'
import { checks } from './checks'
import { cookies } from './cookies'
import { device } from './device'
import { durable } from './durable'

/** What the core needs for complete events, and to keep them and the visitor's ids. */
export const BASE: readonly Feature[] = [checks, durable, consent, cookies, campaign, device]
