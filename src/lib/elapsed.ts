import { readAs } from './attempt'

/** Returns ms since the page began, by a clock that is never set; by the system clock if the page has broken that one. */
export const elapsed = (): number => readAs('number', () => performance.now()) ?? Date.now()

/** Returns ms since the epoch by the clock of `elapsed`. */
export const steadyTime = (): number => readAs('number', () => performance.timeOrigin + performance.now()) ?? Date.now()
