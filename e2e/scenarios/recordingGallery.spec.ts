import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GALLERY, MAX_PERCENT } from '../gallery/gallery'
import { type Moment, momentsOf } from '../support/galleryMoments'
import { openPlayer } from '../support/galleryPlayer'
import { differenceOf } from '../support/pixels'
import { imagesOfCanvases, recording, test, types } from '../support/recording'
import { ROOT } from '../support/root'
import { pageWith } from '../support/scenario'
import { startSite } from '../support/site'
import { expect, QUIET } from '../support/world'

const FOLDER = join(ROOT, 'e2e/gallery')
const SIZE = { width: 400, height: 300 }
/** `GALLERY=has,slots`: only these pages. `PICTURES`: a folder for the pictures. `WRITE_GALLERY`: stores the differences for `npm run docs`. */
const { GALLERY: only, PICTURES, WRITE_GALLERY } = process.env

const store = (name: string, picture: Buffer) => {
  if (!PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  writeFileSync(join(PICTURES, `${name}.png`), picture)
}

test.use({ actionTimeout: 15_000 })

test('the player shows what the page showed, for each page of the gallery', async ({
  page,
  browser,
  network,
  service,
  record,
  chunks,
}) => {
  const rows = GALLERY.filter(({ file }) => !only || only.split(',').includes(file))
  const site = await startSite({ '/gallery/': FOLDER }, 'gallery.localhost')
  const target = { url: network.url, token: service.token }
  await record(true)
  await page.setViewportSize(SIZE)
  const debug = await page.context().newCDPSession(page)
  const snapshots = () => types(chunks()).filter((type) => type === 2).length
  const canvases = (since: number) => imagesOfCanvases(chunks(), since)
  const problems: string[] = []
  const moments: Moment[] = []
  for (const row of rows) {
    const path = `/gallery/${row.file}.html`
    const html = readFileSync(join(FOLDER, `${row.file}.html`), 'utf8')
    const options = { ...QUIET, session_recording: { maskAllInputs: false, ...row.options } }
    site.page(path, pageWith('script', target, row.file, html, options))
    try {
      const before = snapshots()
      await page.goto(site.url + path)
      await recording(page)
      moments.push(...(await momentsOf({ page, debug, snapshots, canvases }, row, before)))
    } catch (error) {
      problems.push(`${row.file}: ${String(error).slice(0, 200)}`)
    }
  }
  const id = await page.evaluate(() => window.analytics.get_session_id())
  const storedUntil = async () =>
    Date.parse(String((await service.api('GET', `/session_recordings/${id}`)).body.ended_at))
  await expect.poll(storedUntil).toBeGreaterThan(moments.at(-1)!.at)

  const player = await openPlayer(browser, service, id)
  const differences: Record<string, number> = {}
  for (const moment of moments) {
    const shown = await player.show(moment)
    const difference = shown ? await differenceOf(page, moment.picture, shown) : 100
    store(`${moment.name}-page`, moment.picture)
    if (shown) store(`${moment.name}-player`, shown)
    differences[moment.file] = Math.max(differences[moment.file] ?? 0, Math.round(difference * 100) / 100)
    const isCovered = !rows.find(({ file }) => file === moment.file)!.notCovered
    if (difference > MAX_PERCENT && isCovered) problems.push(`${moment.name}: ${difference} % of the pixels differ`)
  }
  for (const { file, notCovered } of rows)
    if (notCovered && differences[file]! <= MAX_PERCENT) problems.push(`${file} is covered now. Remove its reason`)
  if (WRITE_GALLERY && !only)
    writeFileSync(join(FOLDER, 'differences.json'), `${JSON.stringify(differences, undefined, 2)}\n`)
  await player.close()
  await site.stop()
  expect(problems).toEqual([])
})
