import { attempt } from './attempt'

/** Console output of the SDK. */
export interface Log {
  /** A problem that a developer should fix. Always shown. */
  error(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  /** Shown with `debug` only. */
  info(message: string, ...details: unknown[]): void
}

const PREFIX = '[trailmark]'

/** Reports an error caught in the SDK or in one of the site's callbacks. Always shown, so that it can be fixed. */
export const reportCaught = (error: unknown): void =>
  // Some pages replace `console.error` with a function that throws.
  attempt(() => console.error(PREFIX, 'caught an error; the page is unaffected', error))

/** Creates the SDK's log. A page may have removed the console, or replaced its functions with some that throw. */
export const createLog = (isDebug: () => boolean): Log => ({
  error: (...words) => attempt(() => console.error(PREFIX, ...words)),
  warn: (...words) => attempt(() => console.warn(PREFIX, ...words)),
  info: (...words) => {
    if (isDebug()) attempt(() => console.log(PREFIX, ...words))
  },
})
