// Preloaded into a service, for tests of its periodic work: intervals of seconds are ten times as short, and a SIGUSR2 sets the
// clock forward. Timeouts stay as they are, so a slow machine does not fail requests.

const MIN_MS = 1_000
const TIMES_SHORTER = 10
/** Longer than any table is kept after its last use. */
const JUMP_MS = 120_000

const { setInterval } = globalThis
globalThis.setInterval = (callback, ms, ...args) =>
  setInterval(callback, ms >= MIN_MS ? ms / TIMES_SHORTER : ms, ...args)

const { now } = Date
let aheadMs = 0
Date.now = () => now() + aheadMs
process.on('SIGUSR2', () => {
  aheadMs += JUMP_MS
})
