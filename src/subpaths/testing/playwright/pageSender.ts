import type { Page } from '@playwright/test'
import { hideForAMoment } from '../inPage'
import { type Explained, explained, flushed } from '../sender'

interface Globals {
  analytics?: { flush?(): void; explain?(): Explained[] }
}

const explainInPage = (): Explained[] | undefined => {
  const { analytics } = globalThis as Globals
  const all = analytics?.explain?.()
  return Array.isArray(all) ? all : undefined
}

// A page may be closed or navigate at any time.
const tried = <T>(run: Promise<T>): Promise<T | undefined> => run.catch(() => undefined)

/** Makes the SDKs of a page send what waits. Resolves with whether nothing waits any more, as far as `window.analytics` says. */
export const flushPage = async (page: Page): Promise<boolean> => {
  if (page.isClosed()) return true
  let all: Explained[] | undefined
  return flushed({
    flush: async () => {
      await tried(page.evaluate(hideForAMoment))
      all = await tried(page.evaluate(explainInPage))
    },
    explain: () => all ?? [],
  })
}

/** Returns what `window.analytics.explain()` says about events of a name. */
export const explainPage = async (page: Page, name?: string): Promise<string[]> =>
  page.isClosed() ? [] : explained(await tried(page.evaluate(explainInPage)), name)
