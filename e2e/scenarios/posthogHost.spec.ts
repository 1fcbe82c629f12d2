import { startPosthogHost } from '../support/posthogHost'
import { expect, pageWith, test } from '../support/scenario'

// Every extension with the responses that PostHog sends: a site may use this SDK with a PostHog server.

for (const isOlder of [false, true])
  test(`${isOlder ? 'older' : 'current'} PostHog server: recording, surveys, flags, heatmaps, web vitals and exceptions start`, async ({
    page,
    site,
  }) => {
    const host = await startPosthogHost(isOlder)
    const problems: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && message.text().startsWith('[trailmark]'))
        problems.push(message.text())
    })
    site.page(
      '/shop',
      pageWith('npm', { url: host.url, token: 'phc_test' }, 'Shop', '<h1>Shop</h1><button id="buy">Buy</button>'),
    )
    await page.goto(`${site.url}/shop`)
    const flag = (key: string) => page.evaluate((name) => window.analytics.getFeatureFlagResult(name), key)
    await expect.poll(() => flag('beta')).toMatchObject({ variant: 'blue', payload: { a: 1 } })
    expect(await flag('plain')).toMatchObject({ enabled: true })
    expect(await flag('off')).toMatchObject({ enabled: false })
    await expect.poll(() => page.evaluate(() => window.analytics.sessionRecording.status)).toBe('active')

    const survey = page.locator('[class^=PostHogSurvey]')
    await expect(survey.locator('.ratings-number')).toHaveCount(11)
    await survey.locator('button[aria-label="Rate 9"]').click()
    await survey.locator('.form-submit').click()

    await page.locator('#buy').click()
    await page.evaluate(
      () => void setTimeout(() => window.dispatchEvent(new ErrorEvent('error', { error: new Error('lost') }))),
    )
    const named = (name: string) => host.events().filter(({ event }) => event === name)
    const wanted = ['$pageview', '$autocapture', '$exception', 'survey sent', '$$heatmap', '$web_vitals', '$snapshot']
    await expect
      .poll(async () => {
        await page.evaluate(() => window.analytics.flush())
        return wanted.filter((name) => !named(name).length)
      })
      .toEqual([])
    expect(named('survey sent')[0]!.properties.$survey_response_q).toBe(9)
    expect(named('$snapshot')[0]!.properties.$snapshot_data.map(({ type }: { type: number }) => type)).toContain(2)
    expect(named('$feature_flag_called')[0]?.properties.$feature_flag_reason).toBe('Matched condition set 1')
    expect(host.paths().filter((path) => path.startsWith('/s/')).length).toBeGreaterThan(0)

    // The toolbar needs the service of this SDK, and says so.
    expect(await page.evaluate(() => window.analytics.loadToolbar({ token: 'phc_test' }))).toBe(true)
    await expect.poll(() => host.paths().some((path) => path.startsWith('/toolbar/'))).toBe(true)
    expect(problems.filter((line) => !line.includes('request failed 404'))).toEqual([])
    await host.stop()
  })
