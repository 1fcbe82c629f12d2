import type { Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { BUILDS } from '../support/scenario'
import { expect, QUIET, test as base } from '../support/world'

interface RecordedChunk {
  uuid: string
  properties: Record<string, unknown> & { $snapshot_data: { type: number; data: Record<string, unknown> }[] }
}

interface Fixtures {
  /** Changes the project's recording settings until the test ends. */
  record(settings: object | boolean): Promise<void>
  /** Returns the chunks that left the page, in order. */
  chunks(): RecordedChunk[]
}

const test = base.extend<Fixtures>({
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
        .filter((line) => line.startsWith('/s/'))
        .flatMap((line) => (JSON.parse(line.slice(line.indexOf('{"api_key"'))) as { batch: RecordedChunk[] }).batch),
    )
  },
})

const status = (page: Page) =>
  page.evaluate(() => window.analytics.calculateEventProperties('x').$recording_status as string | undefined)
const recording = (page: Page) => expect.poll(() => status(page)).toBe('active')
/** Ends the current chunk, as when the page is hidden. */
const cut = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    Reflect.deleteProperty(document, 'visibilityState')
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  })
const types = (all: RecordedChunk[]) =>
  all.flatMap(({ properties }) => properties.$snapshot_data.map(({ type }) => type))
const text = (all: RecordedChunk[]) => JSON.stringify(all)

const stored = async (
  service: { api(method: string, path: string): Promise<{ body: Record<string, unknown> }> },
  id: string,
) => (await service.api('GET', `/session_recordings/${id}`)).body

for (const build of BUILDS)
  test(`${build} build: records the page, and the service stores the recording`, async ({
    page,
    site,
    put,
    network,
    record,
    chunks,
    service,
  }) => {
    await record(true)
    put(build, '/', '<h1>Shop</h1><input id="name"><div id="list"></div>', { ...QUIET, api_host: network.url })
    await page.goto(site.url)
    await recording(page)
    await page.locator('#name').fill('typed by a person')
    await page.evaluate(() => (document.querySelector('#list')!.textContent = 'added later'))
    await expect
      .poll(async () => {
        await cut(page)
        return text(chunks())
      })
      .toContain('added later')
    expect(types(chunks()).slice(0, 2)).toEqual([4, 2])
    expect(chunks()[0]!.properties).toMatchObject({
      $snapshot_sequence: 0,
      $snapshot_has_full: true,
      $snapshot_policy: 'default',
    })
    expect(text(chunks())).toContain('Shop')
    expect(text(chunks())).not.toContain('typed by')
    const id = await page.evaluate(() => window.analytics.get_session_id())
    await expect.poll(async () => (await stored(service, id)).session_id ?? (await stored(service, id)).id).toBe(id)
  })
