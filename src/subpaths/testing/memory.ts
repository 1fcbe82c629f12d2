import { hideForAMoment, passBotFilter } from './inPage'
import { createProject } from './project'
import { moduleOfNode } from './realTime'
import { isOfSdk, receive } from './receive'
import type { Sender } from './sender'
import type { Captures } from './types'

export interface MemoryOptions {
  /** The instance whose queue `flush` empties and whose `explain()` messages quote. */
  analytics?: Sender
  /** Host whose requests are kept, such as `https://t.example.com`. Default: any host with a path of the SDK. */
  host?: string
}

/** Takes the place of the network: keeps the requests of the SDK, and answers them. */
export interface MemoryTransport extends Captures {
  /** Gives the network back to the page. */
  stop(): void
}

type Patched = Record<string, unknown>
type Body = string | Blob | ArrayBuffer | Uint8Array | null | undefined

const URL_OF_MEMORY = 'https://memory.trailmark.test'

/** Sets a member. Returns a function that restores it. */
const replace = (target: object, name: string, value: unknown): (() => void) => {
  const old = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { configurable: true, writable: true, value })
  return () => void (old ? Object.defineProperty(target, name, old) : Reflect.deleteProperty(target, name))
}

const readBlob = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error!)
    reader.readAsText(blob)
  })

interface Zlib {
  gunzipSync(bytes: Uint8Array): { toString(): string }
}

/** Returns the text of a gzip. jsdom has no streams for it, but runs in Node. */
const unzip = (bytes: Uint8Array<ArrayBuffer>): Promise<string> | string =>
  moduleOfNode<Zlib>('node:zlib')?.gunzipSync(bytes).toString() ??
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()

/** Returns the text of a body. The first request is compressed, because the SDK learns from its response not to compress. */
const textOf = async (body: Body): Promise<string> => {
  if (!body || typeof body === 'string') return body ?? ''
  if (typeof Blob !== 'undefined' && body instanceof Blob) return readBlob(body)
  return unzip(new Uint8Array(body as ArrayBuffer))
}

/** A response as the SDK reads it. Not every environment of unit tests has `Response`. */
const responseOf = (status: number, body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const clone = () => responseOf(status, body)
  return {
    ok: status < 400,
    status,
    redirected: false,
    headers: { get: () => null },
    text: async () => text,
    json: async (): Promise<unknown> => JSON.parse(text),
    clone,
  }
}

/**
 * Keeps what the SDK sends on this page, without a network, and lets it pass the bot filter, for which jsdom is a bot. Call
 * it before `init`. Other requests are not touched.
 */
export const memoryTransport = ({ analytics, host }: MemoryOptions = {}): MemoryTransport => {
  const page: Sender | undefined = typeof document === 'undefined' ? undefined : { flush: hideForAMoment }
  const project = createProject('memory', host ?? URL_OF_MEMORY, analytics ?? page)
  const uncompressed = () => project.setConfig({ supportedCompression: [] })
  uncompressed()

  const isOurs = (url: URL) => (host === undefined || url.href.startsWith(host)) && isOfSdk(url.pathname)
  const take = async (method: string, url: URL, body: Body) => {
    const release = project.hold()
    try {
      const text = await textOf(body)
      return receive({ method, path: url.pathname + url.search, text }, () => project, project)
    } catch (error) {
      const [code, reason] = ['invalid_encoding', `The body cannot be read: ${String(error)}.`]
      project.add([{ code, reason, sample: url.href }])
      return { status: 400, body: { type: 'validation_error', code, detail: reason, attr: null } }
    } finally {
      release()
    }
  }
  const urlOf = (input: unknown): URL | undefined => {
    const text = typeof input === 'string' ? input : String((input as { url?: string })?.url ?? input)
    try {
      return new URL(text, typeof location === 'undefined' ? undefined : location.href)
    } catch {
      return undefined
    }
  }

  const global = globalThis as unknown as Patched
  const realFetch = global.fetch as typeof fetch | undefined
  const fake = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const url = urlOf(input)
    if (!url || !isOurs(url)) {
      if (!realFetch) throw new TypeError('This environment has no fetch.')
      return realFetch(input, init)
    }
    const { status, body } = await take(init.method ?? 'GET', url, init.body as Body)
    return responseOf(status, body)
  }
  const restore = [replace(globalThis, 'fetch', fake)]
  if (typeof navigator !== 'undefined') {
    const realBeacon = navigator.sendBeacon?.bind(navigator) as typeof navigator.sendBeacon | undefined
    const beacon = (input: string | URL, body?: BodyInit | null): boolean => {
      const url = urlOf(input)
      if (!url || !isOurs(url)) return realBeacon?.(input, body) ?? false
      void take('POST', url, body as Body)
      return true
    }
    restore.push(replace(navigator, 'sendBeacon', beacon))
  }
  if (typeof Navigator !== 'undefined') restore.push(passBotFilter())
  return {
    ...project,
    reset: () => {
      project.reset()
      uncompressed()
    },
    stop: () => restore.splice(0).forEach((undo) => undo()),
  }
}
