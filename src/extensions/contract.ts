import type { Host } from '../host'
import type { Properties, SessionListener, Stop } from '../types'
import type extensions from './extensions.json'

/**
 * The names of the extensions. `extensions.json` lists them with the size limit of each script in gzipped bytes. Rollup's
 * inputs (rollup.config.mjs), the `import()` table (imports.ts) and the size test are generated from that list.
 */
export type ExtensionName = keyof typeof extensions

/** Members of the SDK that an extension may use. */
export interface ExtensionHost extends Host {
  session: {
    /** The session's id; undefined before the first event. */
    current(): string | undefined
    windowId(): string
    /** When the session began, ms since the epoch; undefined before the first event. */
    startedAt(): number | undefined
    /** Returns the ids for an activity of the visitor. The activity extends the session or starts one. */
    touch(): { sessionId: string; windowId: string }
    onChange(listener: SessionListener): Stop
  }
  /** The remote configuration. `items` lacks what was not received. */
  remote: {
    items: Readonly<Properties>
    /** Whether the latest request for the configuration failed. */
    readonly hasFailed: boolean
    onChange(listener: () => void): Stop
  }
  /** Sets the function that compresses requests in browsers that cannot; undefined: none. */
  useGzip(gzip: ((text: string) => Uint8Array<ArrayBuffer>) | undefined): void
  /** Runs `run` after `ms`. Errors do not reach the page. */
  later(run: () => void, ms: number): ReturnType<typeof setTimeout>
  /**
   * Fires when the page is left, and before another person replaces the current one (`isNextPerson`): the last chance to
   * capture what happened until now. After that, the extension is stopped and started again.
   */
  onLeave(run: (isNextPerson: boolean) => void): Stop
  /** When the current person came to this page, ms of `performance.now`; 0 for the first person. */
  personSince(): number
  /** Fires when the page is shown or hidden. */
  onVisibilityChange(run: () => void): Stop
}

/** Code that is fetched on demand. `Parts`: what the source that loads it adds to the host. */
export interface Extension<Parts = unknown> {
  start(host: ExtensionHost & Parts): Stop
}

/** Fetches an extension of the same release. Rejects if the page forbids it or the network fails. */
export type LoadExtension = (name: ExtensionName) => Promise<Extension>
