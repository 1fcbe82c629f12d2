import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, test } from '../../support/console'
import { ROOT } from '../../support/root'
import { startSite } from '../../support/site'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const now = () => new Date().toISOString()

test.use({ ownService: true })

test('a new project opens its setup, whose steps are checked off as events arrive', async ({
  view: { service, page, open, send },
}) => {
  await page.goto(`${service.url}/console/`)
  await expect(page.getByRole('heading', { name: 'Setup' })).toBeVisible()
  await expect(page.getByText('Waiting')).toHaveCount(4)

  // The tag is the current one, with this project's token and this service's URL.
  await expect(page.getByLabel('Paste this into the <head> of each page')).toContainText(
    `<script src="${service.url}/static/analytics.js" data-token="${service.token}" async></script>`,
  )
  const tag = page.getByLabel('Or this, to set options')
  await expect(tag).toContainText(`.init("${service.token}", {"api_host":"${service.url}","defaults":"2026-01-30"})`)
  await page.getByRole('tab', { name: 'Next.js' }).click()
  await expect(page.getByText('instrumentation-client.ts')).toBeVisible()
  expect(page.url()).toContain('framework=next')
  await expectAccessible(page)
  // The package comes from the service, once it is built. The page says whether it is.
  const address = `${service.url}/console/projects/${service.projectId}/setup?framework=npm`
  for (const [note, shown] of [
    ['', `npm install ${service.url}/static/trailmark-${version}.tgz`],
    ['<meta name="trailmark-package" content="missing">', 'npm run build'],
  ] as const) {
    await page.route(address, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/<meta name="trailmark-package"[^>]*>/, '')
      await route.fulfill({ response, body: body.replace('<meta', () => `${note}<meta`) })
    })
    await page.goto(address)
    await expect(page.getByText(shown, { exact: true })).toBeVisible()
    await page.unroute(address)
  }

  // A site runs the tag as shown, plus an option, because test browsers identify themselves as automated.
  await open('setup')
  const shown = (await tag.textContent())!.replace('{"api_host"', '{"opt_out_useragent_filter":true,"api_host"')
  const site = await startSite()
  site.page('/', `<!doctype html><title>Site</title>${shown}`)
  const visit = await page.context().newPage()
  await visit.goto(site.url)
  const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })
  await expect(step('First pageview').getByText('Received')).toBeVisible()
  await visit.close()
  await site.stop()

  await send([{ event: 'signed up', distinct_id: 'ada', timestamp: now(), properties: {} }])
  await expect(step('First event of your own').getByText('Received')).toBeVisible()
  await send([
    {
      event: '$identify',
      distinct_id: 'ada',
      timestamp: now(),
      properties: { $anon_distinct_id: 'visitor', $set: { plan: 'free' } },
    },
    { event: '$feature_flag_called', distinct_id: 'ada', timestamp: now(), properties: { $feature_flag: 'a' } },
  ])
  await expect(page.getByText('Everything is set up.')).toBeVisible()
  await expect(page.getByText('Waiting')).toHaveCount(0)
})

test('the setup shows why the first event was rejected and what to do', async ({ view: { page, open, send } }) => {
  await open('setup?framework=nonsense')
  await expect(page.getByRole('tab', { name: 'Script tag' })).toHaveAttribute('aria-selected', 'true')
  await send([{ event: '', distinct_id: 'ada' }])
  await expect(page.getByText('Pass the name of the event as a non-empty string.')).toBeVisible()
  await page.getByRole('link', { name: 'All rejected events' }).click()
  await expect(page.getByRole('table', { name: 'Rejected events by reason' })).toContainText('missing_event_name')
})
