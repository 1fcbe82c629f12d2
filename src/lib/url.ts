/** The value of a query parameter of `url`; '' when it has none. */
export const queryParameter = (url: string, name: string): string => {
  try {
    return new URL(url).searchParams.get(name) ?? ''
  } catch {
    return ''
  }
}

/** `host[:port]` of a URL; '' when it is none. */
export const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}

export const pathOf = (url: string): string => {
  try {
    return new URL(url).pathname
  } catch {
    return ''
  }
}

/** A host as configured, ready to have a path appended: trimmed, without a slash at its end. */
export const trimHost = (host: string): string => host.trim().replace(/\/$/, '')
