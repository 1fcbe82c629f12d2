import { createOutbox } from '../../../delivery/outbox'
import { createQueue } from '../../../delivery/queue'
import type { Feature } from '../../feature'

/** Stores waiting events in the browser, so that they outlive the page and an outage. One tab sends for all. */
export const durable: Feature = { name: 'durable', provides: { createOutbox, createQueue } }
