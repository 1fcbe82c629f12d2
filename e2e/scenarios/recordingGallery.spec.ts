import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { GALLERY, type GalleryPage } from '../gallery/gallery'
import { pause } from '../support/pause'
import { differenceOf } from '../support/pixels'
import { cut, recording, test, types } from '../support/recording'
import { ROOT } from '../support/root'
import { pageWith } from '../support/scenario'
import { startSite } from '../support/site'
import { expect, QUIET } from '../support/world'

const FOLDER = join(ROOT, 'e2e/gallery')
const SIZE = { width: 400, height: 300 }
/** Share of pixels that may differ, percent. */
const MAX_PERCENT = 1
/** Time in which the player shows a moment, on a busy machine. */
const MAX_SEEK_MS = 10_000
/** `GALLERY=has,slots`: only these pages. */
const ONLY = process.env.GALLERY ? process.env.GALLERY.split(',') : undefined
/** A folder for the pictures. */
const { PICTURES } = process.env

/** What a page looked like at a moment. */
interface Moment {
  readonly file: string
  /** Also an attribute of the page, by which the player's page is known to be at this moment. */
  readonly name: string
  /** ms since the epoch. */
  readonly at: number
  readonly picture: Buffer
}

/** The moments of each page: once it is recorded, after it has changed, and after another full snapshot. */
const STEPS: readonly { name: string; run(page: Page): Promise<void> }[] = [
  { name: 'loaded', run: async () => {} },
  {
    name: 'changed',
    run: (page) =>
      page.evaluate(
        `Promise.race([globalThis.act?.(), new Promise((_, fail) => setTimeout(fail, 8000, new Error('act does not end')))])`,
      ),
  },
  {
    name: 'again',
    // As when the page returns from the back/forward cache.
    run: (page) => page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))),
  },
]

const frames = (page: Page, count: number) =>
  page.evaluate(async (all) => {
    for (let each = 0; each < all; each++) await new Promise((done) => requestAnimationFrame(done))
  }, count)

test.setTimeout(400000)
test.use({ actionTimeout: 15_000 })
test('the player shows what the page showed, for each page of the gallery', async ({
  page,
  browser,
  network,
  service,
  record,
  chunks,
}) => {
  const rows = GALLERY.filter(({ file }) => !ONLY || ONLY.includes(file))
  const site = await startSite({ '/gallery/': FOLDER }, 'gallery.localhost')
  await record(true)
  await page.setViewportSize(SIZE)
  const debug = await page.context().newCDPSession(page)
  const moments: Moment[] = []
  let snapshots = 0
  const countSnapshots = async () => {
    await cut(page)
    return types(chunks()).filter((type) => type === 2).length
  }
  const visit = async ({ file, options, zoom }: GalleryPage) => {
    const html = readFileSync(join(FOLDER, `${file}.html`), 'utf8')
    site.page(
      `/gallery/${file}.html`,
      pageWith('script', { ...service, url: network.url }, file, html, {
        ...QUIET,
        session_recording: { maskAllInputs: false, ...options },
      }),
    )
    await page.goto(`${site.url}/gallery/${file}.html`)
    await recording(page)
    for (const { name: step, run } of STEPS) {
      if (step !== 'changed') {
        await run(page)
        await expect.poll(countSnapshots, { intervals: [100] }).toBeGreaterThan(snapshots)
        snapshots = await countSnapshots()
      } else await run(page)
      if (zoom && step === 'changed') await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: zoom })
      const name = `${file}-${step}`
      await page.evaluate((each) => (document.documentElement.dataset.moment = each), name)
      // Canvases are recorded a few times a second.
      await pause(page, 300)
      await frames(page, 2)
      const at = await page.evaluate(() => Date.now())
      moments.push({ file, name, at, picture: await page.screenshot() })
      await pause(page, 50)
    }
    await page.evaluate(() => (document.documentElement.dataset.moment = 'end'))
    await pause(page, 50)
    await cut(page)
    if (zoom) await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1 })
  }
  const problems: string[] = []
  for (const row of rows)
    await visit(row).catch((error: unknown) => problems.push(`${row.file}: ${String(error).slice(0, 200)}`))
  console.log(problems)

  writeFileSync('/tmp/fid/chunks.json', JSON.stringify(chunks()))
  const id = await page.evaluate(() => window.analytics.get_session_id())
  const end = moments.at(-1)!.at
  await expect
    .poll(async () => Date.parse(String((await service.api('GET', `/session_recordings/${id}`)).body.ended_at)))
    .toBeGreaterThan(end)
  const { body } = await service.api('GET', `/session_recordings/${id}`)

  const view = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  await view.request.post(`${service.url}/api/console/session`, {
    headers: { origin: service.url },
    data: { key: service.key },
  })
  await view.goto(`${service.url}/console/projects/${service.projectId}/recordings/${id}`)
  const player = view.frameLocator('iframe[title="Recorded page"]')
  const recorded = player.frameLocator('iframe')
  await recorded.locator('body').waitFor({ state: 'attached' })
  // To the millisecond, instead of seconds.
  const slider = view.getByRole('slider', { name: 'Moment' })
  await slider.evaluate((input: HTMLInputElement) => (input.step = '1'))
  // The person's pointer is not part of the page.
  await player.locator('body').evaluate((body) => body.classList.add('is-still'))
  // At whole pixels.
  const screen = view.locator('iframe[title="Recorded page"]')
  await screen.evaluate((frame) => {
    for (const [name, value] of Object.entries({ position: 'fixed', inset: '0 auto auto 0', transform: 'none' }))
      frame.style.setProperty(name, value, 'important')
  })

  const differences: Record<string, number> = {}
  for (const { file, name, at, picture } of moments) {
    await slider.fill(String(at - Date.parse(String(body.started_at))))
    const isShown = await recorded
      .locator(`html[data-moment="${name}"]`)
      .waitFor({ state: 'attached', timeout: MAX_SEEK_MS })
      .then(
        () => true,
        () => false,
      )
    if (!isShown) {
      console.log(
        at - Date.parse(String(body.started_at)),
        await recorded.locator('html').evaluate((x) => x.outerHTML.slice(0, 300)),
      )
      problems.push(`${name}: the player does not get there`)
      differences[file] = 100
      continue
    }
    await frames(view, 3)
    await pause(view, 200)
    const shown = await screen.screenshot()
    const difference = await differenceOf(page, picture, shown)
    if (PICTURES) {
      mkdirSync(PICTURES, { recursive: true })
      writeFileSync(join(PICTURES, `${name}-page.png`), picture)
      writeFileSync(join(PICTURES, `${name}-player.png`), shown)
    }
    differences[file] = Math.max(differences[file] ?? 0, difference)
    const { notCovered } = rows.find((row) => row.file === file)!
    if (difference > MAX_PERCENT && !notCovered)
      problems.push(`${name}: ${difference.toFixed(2)} % of the pixels differ`)
  }
  for (const { file, notCovered } of rows)
    if (notCovered && (differences[file] ?? 100) <= MAX_PERCENT)
      problems.push(`${file} is covered now. Remove its reason`)
  if (PICTURES) console.log(differences)
  await view.context().close()
  await site.stop()
  expect(problems).toEqual([])
})
