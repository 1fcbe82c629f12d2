// Systems correct their clock by smaller steps back.
const SET_BACK_MS = 1000

let date = 0
let steady = 0
let latest = 0
/** How far the system's clock was set back, ms. */
let behind = 0

/**
 * Returns ms since the epoch, never less than before. Follows the system's clock, even while the computer sleeps, but
 * continues evenly when that clock is set back.
 */
export const clock = (): number => {
  const [dateBefore, steadyBefore] = [date, steady]
  date = Date.now()
  steady = performance.now()
  const step = date - dateBefore - (steady - steadyBefore)
  if (dateBefore && step < -SET_BACK_MS) behind -= step
  latest = Math.max(latest, date + behind)
  return latest
}

/** Follows the clock of the system again, for a new session, whose events have its time. */
export const resetClock = (): void => {
  date = latest = behind = 0
}
