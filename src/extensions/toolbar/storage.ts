/** Runs an operation on storage, which browsers may forbid and pages may fill. */
const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

// In session storage, the token of the project that the tab has a session for: the loader then opens the toolbar on the
// next page too. In local storage, where the bar is.
const NAME = '__trailmark_toolbar'

export const rememberSession = (token: string): void => attempt(() => sessionStorage.setItem(NAME, token))

export const forgetSession = (): void => attempt(() => sessionStorage.removeItem(NAME))

/** Returns the stored place; undefined if there is none or it is not JSON. */
export const readStoredPlace = (): unknown => attempt(() => JSON.parse(localStorage.getItem(NAME)!) as unknown)

export const storePlace = (place: object): void => attempt(() => localStorage.setItem(NAME, JSON.stringify(place)))
