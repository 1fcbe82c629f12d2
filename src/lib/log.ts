/** The SDK's voice in the console; the only file that speaks there. */
export interface Log {
  /** Something a person should mend: always shown. */
  error(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  /** What happens, for those who asked for it with `debug`. */
  info(message: string, ...details: unknown[]): void
}

const PREFIX = '[trailmark]'

/** Says that something threw, in the SDK or in a callback it was given. Shown always: silence would hide it from whoever can mend it. */
export const reportCaught = (error: unknown): void =>
  console.error(PREFIX, 'caught an error; the page is not affected', error)

export const createLog = (isDebug: () => boolean): Log => ({
  error: (...words) => console.error(PREFIX, ...words),
  warn: (...words) => console.warn(PREFIX, ...words),
  info: (...words) => {
    if (isDebug()) console.log(PREFIX, ...words)
  },
})
