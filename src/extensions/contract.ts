import type { Host } from '../host'
import type { Properties, SessionListener, Stop } from '../types'
import type extensions from './extensions.json'

/**
 * The names of the extensions. `extensions.json` lists them with the largest size of each script, bytes gzipped. From that
 * list come the script and the chunk of each (rollup.config.mjs), `import()` (imports.ts) and the size test.
 */
export type ExtensionName = keyof typeof extensions

/** What an extension may use of the SDK. */
export interface ExtensionHost extends Host {
  session: {
    /** The session's id; undefined before the first event. */
    current(): string | undefined
    windowId(): string
    onChange(listener: SessionListener): Stop
  }
  /** What the service has turned on; undefined for what it has not said. */
  remote: {
    items: Readonly<Properties>
    onChange(listener: () => void): Stop
  }
  /** Sends a JSON body to a path of the service, beside the queue of events. Resolves with the status; 0: no response. */
  upload(path: string, body: unknown): Promise<number>
  /** Sets what compresses requests where the browser cannot; undefined: nothing does. */
  useGzip(gzip: ((text: string) => Uint8Array<ArrayBuffer>) | undefined): void
  /** Runs `run` after `ms`, and keeps what it throws from the page. */
  later(run: () => void, ms: number): ReturnType<typeof setTimeout>
  /** The page is going: the last moment to capture something. */
  onPageLeave(run: () => void): Stop
  /** The page was shown or hidden. */
  onVisibilityChange(run: () => void): Stop
}

/** Code that is fetched when it is wanted. `Parts`: what the source that wants it adds to the host. */
export interface Extension<Parts = unknown> {
  start(host: ExtensionHost & Parts): Stop
}

/** Fetches an extension of the same release. Rejects when the page forbids it or the network fails. */
export type LoadExtension = (name: ExtensionName) => Promise<Extension>
