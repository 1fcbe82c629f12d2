// Imports types only: a module shared with the core would be one more file of an app.
import type { OddRequests } from '../../lib/oddRequests'
import type { Extension } from '../contract'

const reported = new Set<string>()

/** Returns the members that `fetch` accepts one by one. A rejected one would make every request fail. */
const acceptedOf = <M extends object>(
  members: M,
  url: string,
  report: (message: string) => void,
  initOf: (member: Partial<M>) => RequestInit,
): M => {
  const isAccepted = (name: keyof M & string) => {
    try {
      return new Request(url, initOf({ [name]: members[name] } as Partial<M>))
    } catch (error) {
      if (!reported.has(name))
        report(`xhr_headers or fetch_options: fetch rejects ${name}. Requests omit it. ${String(error)}`)
      reported.add(name)
      return false
    }
  }
  return Object.fromEntries(Object.entries(members).filter(([name]) => isAccepted(name as keyof M & string))) as M
}

export const accepted: OddRequests['accepted'] = (url, { headers, ...options }, report) => ({
  ...acceptedOf(options, url, report, (member) => member),
  headers: acceptedOf(headers as Record<string, string>, url, report, (member) => ({ headers: member as HeadersInit })),
})

export const sendByXhr: OddRequests['sendByXhr'] = (url, { method, headers, body, signal }) =>
  new Promise((done, failed) => {
    const xhr = new XMLHttpRequest()
    xhr.open(method!, url)
    Object.entries(headers!).forEach(([name, value]) => xhr.setRequestHeader(name, value as string))
    xhr.onload = () =>
      done({
        status: xhr.status,
        redirected: xhr.responseURL !== new URL(url, location.href).href,
        text: async () => xhr.responseText,
        // `getResponseHeader` prints an error for a header that the service does not expose.
        headers: { get: (name) => RegExp(`^${name}: (.*)`, 'im').exec(xhr.getAllResponseHeaders())?.[1] ?? null },
      })
    xhr.onerror = failed
    signal!.onabort = () => xhr.abort()
    xhr.send(body as XMLHttpRequestBodyInit)
  })

/** The transport takes the functions. There is nothing to start. */
export const start: Extension['start'] = () => () => {}
