import type { Feature } from '../feature'
import { campaign } from './campaign'
import { cookies } from './cookies'
import { device } from './device'
import { durable } from './durable'

/** What the core needs for complete events, and to keep them and the visitor's ids. */
export const BASE: readonly Feature[] = [durable, cookies, campaign, device]
