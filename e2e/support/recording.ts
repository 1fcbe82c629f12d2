import type { Page } from 'playwright/test'
import { expect, test as base } from './world'

/** A `$snapshot` event. */
export interface RecordedChunk {
  uuid: string
  properties: Record<string, unknown> & {
    $snapshot_data: { type: number; timestamp: number; data: Record<string, unknown> }[]
  }
}

export interface RecordingFixtures {
  /** Changes the project's recording settings until the test ends. */
  record(settings: object | boolean): Promise<void>
  /** Returns the chunks that left the page, in order. */
  chunks(): RecordedChunk[]
}

export const test = base.extend<RecordingFixtures>({
  record: async ({ service }, use) => {
    const set = async (sessionRecording: unknown) => {
      const { status, body } = await service.api('PATCH', '/remote_config', { sessionRecording })
      expect(status, JSON.stringify(body)).toBe(200)
    }
    await use(set)
    await set(false)
  },
  chunks: async ({ network }, use) => {
    await use(() =>
      network
        .seen()
        .split('\n')
        .filter((line) => line.startsWith('/s/') && line.includes('{"api_key"'))
        .flatMap((line) => (JSON.parse(line.slice(line.indexOf('{"api_key"'))) as { batch: RecordedChunk[] }).batch),
    )
  },
})

/** Returns `$recording_status`. */
export const status = (page: Page) =>
  page.evaluate(() => window.analytics?.calculateEventProperties('x').$recording_status as string | undefined)
/** Returns why the session is not recorded, or not sent, as `explain` and as the events say it. */
export const why = (page: Page) =>
  page.evaluate(() => {
    const [said] = window.analytics.explain('$snapshot')
    const sent = window.analytics.calculateEventProperties('x').$sdk_debug_replay_stop_reason as string | undefined
    return said!.reason === sent ? said!.reason : [said, sent]
  })
/** Waits until the session is recorded. */
export const recording = (page: Page, wanted = 'active') => expect.poll(() => status(page)).toBe(wanted)
/** Ends the current chunk, as when the page is hidden. */
export const cut = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    Reflect.deleteProperty(document, 'visibilityState')
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  })
/** Returns the types of all rrweb events. */
export const types = (all: RecordedChunk[]) =>
  all.flatMap(({ properties }) => properties.$snapshot_data.map(({ type }) => type))
/** Returns the ids of the canvases of which images were recorded since a time and since the last full snapshot. */
export const imagesOfCanvases = (all: RecordedChunk[], since: number) => {
  const events = all.flatMap(({ properties }) => properties.$snapshot_data)
  const from = Math.max(since, ...events.flatMap(({ type, timestamp }) => (type === 2 ? timestamp : [])))
  const images = events.filter(({ type, data, timestamp }) => type === 3 && data.source === 9 && timestamp >= from)
  return new Set(images.map(({ data }) => data.id as number))
}
export const text = (all: RecordedChunk[]) => JSON.stringify(all)
