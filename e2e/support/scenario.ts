import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test as base, expect } from 'playwright/test'
import type { Analytics } from '../../src/client/publicApi'
import type { Config } from '../../src/types'
import { OPTIONS } from './options'
import { ROOT } from './root'
import { type RunningService, startService, type StoredEvent } from './service'
import { type Site, startSite } from './site'

declare global {
  interface Window {
    analytics: Analytics
  }
}

const SNIPPET = readFileSync(resolve(ROOT, 'examples/snippet/snippet.js'), 'utf8')

/** The builds a site can use. */
export const BUILDS = ['script', 'npm'] as const
export type Build = (typeof BUILDS)[number]
/** `own script`: the site serves the script itself, so that pages load while the service is down. */
type AnyBuild = Build | 'own script'

/** Returns a page with a build of the SDK. `path` is its title. */
export const pageWith = (
  build: AnyBuild,
  { url, token }: Pick<RunningService, 'url' | 'token'>,
  path: string,
  body: string,
  config: Partial<Config> = {},
): string => {
  const options = JSON.stringify({ ...OPTIONS, api_host: url, ...config })
  const start = `analytics.init(${JSON.stringify(token)}, ${options})`
  const tags: Record<AnyBuild, string> = {
    script: `<script>${SNIPPET}\n${start}</script>`,
    npm: `<script type="module">import { analytics } from '/sdk/main.js'; window.analytics = analytics; ${start}</script>`,
    'own script': `<script src="/scripts/analytics.js"></script><script>${start}</script>`,
  }
  return `<!doctype html><html><head><title>${path}</title>${tags[build]}</head><body>${body}</body></html>`
}

interface Fixtures {
  /** Host name of the site. Browsers resolve every name under `localhost` to the loopback address. */
  hostName: string
  site: Site
  /** Adds a page with a build of the SDK to the site. */
  put(build: AnyBuild, path: string, body: string, config?: Partial<Config>): void
  /** Resolves with the events stored for this site once `until` returns true for them. */
  stored(until: (events: StoredEvent[]) => boolean): Promise<StoredEvent[]>
}

export const test = base.extend<Fixtures, { service: RunningService }>({
  service: [
    // Playwright reads the names of required fixtures from the destructured first parameter.
    async ({}, use) => {
      const service = await startService()
      await use(service)
      await service.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  hostName: ['localhost', { option: true }],
  site: async ({ hostName }, use) => {
    const folders = {
      '/sdk/': resolve(ROOT, 'dist/esm'),
      '/scripts/': resolve(ROOT, 'dist'),
      '/releases/': resolve(ROOT, 'e2e/releases'),
    }
    const site = await startSite(folders, hostName)
    await use(site)
    await site.stop()
  },
  put: async ({ site, service }, use) => {
    await use((build, path, body, config) => site.page(path, pageWith(build, service, path, body, config)))
  },
  stored: async ({ site, service }, use) => {
    await use(async (until) => {
      let events: StoredEvent[] = []
      try {
        await expect.poll(async () => until((events = await service.events(site.host)))).toBe(true)
      } catch {
        throw new Error(
          `The expected events have not arrived. Stored so far: ${events.map(({ event }) => event).join(', ') || 'none'}`,
        )
      }
      return events
    })
  },
})

export { expect }

/** Returns a predicate: whether exactly these events are stored, in any order. */
export const areThere =
  (...names: string[]) =>
  (events: StoredEvent[]): boolean =>
    [...names].sort().join() ===
    events
      .map(({ event }) => event)
      .sort()
      .join()
