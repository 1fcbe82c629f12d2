import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '../../support/console'
import { ROOT } from '../../support/root'

test.use({ ownService: true })

test('`npm run demo:data` fills every page of the console, and can run twice', async ({
  view: { service, page, open },
}) => {
  const fill = (seed: number) =>
    promisify(execFile)(
      process.execPath,
      [join(ROOT, 'scripts/demoData.mjs'), '--events', '6000', '--seed', `${seed}`],
      {
        env: { ...process.env, TRAILMARK_URL: service.url, TRAILMARK_PERSONAL_API_KEY: service.key },
      },
    )
  await fill(1)
  expect((await fill(2)).stdout).toContain('8 recordings')

  const listOf = async (path: string) => (await service.api('GET', path)).body.results as Record<string, unknown>[]
  const range = { date_from: '-30d' }
  const heatmaps = `/heatmaps/pages?${new URLSearchParams(range)}`
  for (const [path, count] of [
    ['/session_recordings', 16],
    // Which errors occur depends on the time.
    ['/error_tracking/issues', 2],
    ['/feature_flags', 5],
    ['/early_access_feature', 1],
    ['/surveys', 1],
    ['/endpoints', 5],
    ['/dashboards', 2],
    [heatmaps, 5],
  ] as const)
    expect((await listOf(path)).length, path).toBeGreaterThanOrEqual(count)
  expect((await listOf('/dashboards')).filter(({ name }) => name === 'The shop')).toHaveLength(1)
  for (const name of ['$web_vitals', 'survey sent', '$feature_flag_called', '$groupidentify', '$exception']) {
    const [row] = await service.query<[number]>(`SELECT count() FROM events WHERE event = '${name}'`)
    expect(Number(row![0]), name).toBeGreaterThan(0)
  }

  // A recording plays, and has the events of its visit beside it.
  const [recording] = await listOf('/session_recordings?limit=1')
  await open(`recordings/${String(recording!.id)}?t=2000`)
  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe')
  await expect(recorded.getByRole('link', { name: /Larch/ }).first()).toBeVisible()
  await expect(page.getByRole('list', { name: 'Entries in order of time' })).toContainText('$pageview')
  // A heatmap has a recorded page below it.
  await open(`heatmaps?${new URLSearchParams({ url: 'https://larch-lantern.example/', period: '30d' })}`)
  await expect(page.frameLocator('iframe').frameLocator('iframe').getByRole('heading').first()).toBeVisible()
  // All tiles of the dashboard have data.
  const shop = (await listOf('/dashboards')).find(({ name }) => name === 'The shop')
  await page.setViewportSize({ width: 1440, height: 2_500 })
  await open(`dashboards/${String(shop!.id)}`)
  await expect(page.locator('main section')).toHaveCount(6)
  await expect(page.locator('main [aria-busy="true"], main .skeleton')).toHaveCount(0)
  await expect(page.getByText('Nothing in this period.')).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
})
