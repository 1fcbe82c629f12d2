import { readFileSync } from 'node:fs'
import { expect, expectAccessible, test } from '../../support/console'

test.use({ ownService: true })

test('settings change the project, token, keys, capture and variables, and show rejected events and health', async ({
  view: { service, page, open, send },
}) => {
  await open('settings')
  await page.getByLabel('Name').fill('Shop')
  await page.getByLabel('Time zone').fill('Europe/Oslo')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The project is saved.')).toBeVisible()
  await expect(page.getByRole('complementary').getByText('Shop')).toBeVisible()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('The old token is accepted').selectOption('For a day')
  await page.getByRole('button', { name: 'Rotate the token' }).click()
  await expect(page.getByText('The previous token is accepted until')).toBeVisible()
  const { body: project } = await service.api('GET', '')
  expect(project).toMatchObject({ name: 'Shop', timezone: 'Europe/Oslo' })
  await expect(page.getByLabel('Project token')).toHaveText(project.api_token as string)
  await expectAccessible(page)

  // A key is shown once, and works until it is revoked.
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Label').fill('billing job')
  await page.getByRole('button', { name: 'For an agent' }).click()
  await page.getByRole('checkbox', { name: 'project:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  const secret = await page.getByLabel('Personal API key', { exact: true }).textContent()
  // It comes with the configuration of an agent.
  await page.getByText('Connect an agent with this key').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Configuration of the client')).toContainText(
    `/mcp --header "Authorization: Bearer ${secret}"`,
  )
  await dialog.getByRole('tab', { name: 'VS Code' }).click()
  await expect(dialog.getByLabel('Configuration of the client')).toContainText('"servers"')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  const statusWith = async (key: string | null) => {
    const headers = { Authorization: `Bearer ${key}` }
    return (await fetch(`${service.url}/api/projects/${service.projectId}`, { headers })).status
  }
  expect(await statusWith(secret)).toBe(200)
  await expect(page.getByText(secret!)).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Replace the secret of billing job' }).click()
  await page.getByRole('button', { name: 'Replace the secret', exact: true }).click()
  const rolled = await page.getByLabel('Personal API key', { exact: true }).textContent()
  expect([await statusWith(secret), await statusWith(rolled)]).toEqual([401, 200])
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Revoke billing job' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await expect(page.getByText('The key billing job is revoked.')).toBeVisible()
  expect(await statusWith(rolled)).toBe(401)
  await page.getByRole('button', { name: 'Revoke all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke all' }).click()
  await expect(page.getByText('All run tokens are revoked.')).toBeVisible()

  await page.getByRole('tab', { name: 'Capture' }).click()
  await page.getByRole('checkbox', { name: /Capture clicks that have no effect/ }).check()
  await expect(page.getByText('Sites follow at their next page load.')).toBeVisible()
  expect((await service.api('GET', '/remote_config')).body).toMatchObject({ captureDeadClicks: true })

  await page.getByRole('checkbox', { name: /Capture heatmaps/ }).check()
  await page.getByRole('checkbox', { name: /Capture web vitals/ }).check()
  await expect
    .poll(async () => (await service.api('GET', '/remote_config')).body)
    .toMatchObject({ heatmaps: true, capturePerformance: { web_vitals: true, network_timing: false } })

  // A plan that is not valid says where. Events outside a valid one are listed.
  await page.getByRole('tab', { name: 'Plan' }).click()
  await page.getByLabel('Events outside the plan are').selectOption('Stored with $plan_violations')
  await page.getByRole('textbox', { name: 'Plan' }).fill('{"events": {"order": {"typo": 1}}}')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('"events.order.typo" is not supported.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Plan' }).fill('{"events": {"order": {}}}')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The plan is saved.')).toBeVisible()
  await expect(page.getByText('In the plan, but not seen in the last 30 days: order.')).toBeVisible()
  expect((await service.api('GET', '/plan')).body).toMatchObject({ mode: 'mark', plan: { events: { order: {} } } })
  await expectAccessible(page)

  // Recording: input is kept until it is saved, and errors name the field.
  await page.getByRole('tab', { name: 'Recording' }).click()
  await page.getByRole('checkbox', { name: /Record sessions/ }).check()
  await page.getByLabel('Share of sessions, %').fill('25')
  await page.getByLabel('Record from these URLs on').fill('/checkout\n(')
  await page.getByLabel('Mask the text of').fill('.secret')
  await page.getByRole('button', { name: 'Add a group' }).click()
  await page.getByText('Group 1').click()
  await page.getByLabel('Name').fill('Errors')
  await page.getByLabel('Record from these events on').nth(1).fill('$exception')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByRole('alert')).toContainText('urlTriggers.1.url')
  await page.reload()
  await page.getByLabel('Record from these URLs on').first().fill('/checkout')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Sites follow at their next page load.')).toBeVisible()
  await page.getByLabel('Time until a recording is deleted').selectOption('90 days')
  await page.getByRole('button', { name: 'Save' }).nth(1).click()
  await expect(page.getByText('It applies to new sessions.')).toBeVisible()
  expect((await service.api('GET', '/session_recording_settings')).body).toMatchObject({ retention_days: 90 })

  await page.getByRole('tab', { name: 'Exceptions' }).click()
  await page.getByRole('checkbox', { name: /Capture exceptions automatically/ }).check()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Values, one per line').fill('ResizeObserver')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect
    .poll(async () => (await service.api('GET', '/remote_config')).body)
    .toMatchObject({
      sessionRecording: {
        sampleRate: 0.25,
        urlTriggers: [{ url: '/checkout', matching: 'regex' }],
        masking: { maskTextSelector: '.secret' },
        version: 2,
        triggerGroups: [{ name: 'Errors', conditions: { matchType: 'any', events: [{ name: '$exception' }] } }],
      },
      autocaptureExceptions: { capture_unhandled_errors: true, capture_console_errors: false },
      errorTracking: {
        suppressionRules: [
          { type: 'AND', values: [{ key: '$exception_values', operator: 'icontains', value: 'ResizeObserver' }] },
        ],
      },
    })

  // Grouping of exceptions: the service names the rule that cannot work.
  await page.getByRole('button', { name: 'Add a grouping rule' }).click()
  await page.getByLabel('Name of the issue').fill('Slow backend')
  await page.getByRole('button', { name: 'Save' }).nth(1).click()
  await expect(page.getByRole('alert')).toContainText('Rule 1 needs at least one condition')
  await page.getByLabel('Message').fill('timeout of *')
  await page.getByLabel('Caught by the page').selectOption('No')
  await page.getByRole('button', { name: 'Add a grouping rule' }).click()
  const second = page.getByRole('group', { name: 'Grouping rule 2' })
  await second.getByLabel('File of a frame').fill('src/vendor/*')
  await second.getByLabel('These exceptions are').selectOption('one issue for each')
  await second.getByLabel('Function', { exact: true }).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).nth(1).click()
  await expect(page.getByText('The rules apply to exceptions that arrive from now on.')).toBeVisible()
  expect((await service.api('GET', '/error_tracking/fingerprint_rules')).body).toEqual({
    rules: [
      { match: { message: 'timeout of *', handled: false }, issue: 'Slow backend' },
      { match: { file: 'src/vendor/*' }, group_by: ['type', 'function'] },
    ],
  })

  await page.getByRole('tab', { name: 'Variables' }).click()
  await page.getByRole('button', { name: 'New variable' }).click()
  await page.getByLabel('Name').fill('Size')
  await page.getByLabel('Type').selectOption('Number')
  await page.getByLabel('Default').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('table', { name: 'Variables' })).toContainText('{variables.size}')
  await expectAccessible(page)

  // What is too old is hidden, and events are deleted after a dry run.
  const at = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString()
  await send([
    { event: 'too old', distinct_id: 'ada', timestamp: at },
    { event: 'unwanted', distinct_id: 'ada' },
    { event: 'unwanted', distinct_id: 'bob' },
  ])
  const names = async () =>
    ((await service.api('GET', '/events/?after=2020-01-01T00:00:00Z')).body.results as { event: string }[]).map(
      (each) => each.event,
    )
  expect(await names()).toContain('too old')
  await page.getByRole('tab', { name: 'Retention' }).click()
  await page.getByLabel('Days of events').fill('2')
  await page.getByRole('button', { name: 'Add an event' }).click()
  await page.getByLabel('Days of $exception').fill('1')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved. Older data is hidden')).toBeVisible()
  expect(await names()).not.toContain('too old')
  await page.getByRole('button', { name: 'Delete events …' }).click()
  await page.getByLabel('Event', { exact: true }).last().fill('unwanted')
  await page.getByRole('button', { name: 'Count them' }).click()
  const deletions = page.getByRole('table', { name: 'Deletions' })
  await expect(deletions).toContainText('2 rows of 2 people. Nothing is deleted yet.')
  await expectAccessible(page)
  await deletions.getByRole('button', { name: 'Delete …' }).click()
  await page.getByRole('button', { name: 'Delete them' }).click()
  await expect(deletions).toContainText('Deleted 2 rows.')
  expect(await names()).not.toContain('unwanted')

  await send([{ event: 'exported', distinct_id: 'ada' }])
  await page.getByRole('tab', { name: 'Import and export' }).click()
  await expect(page.getByText('Nothing was imported')).toBeVisible()
  await page.getByLabel('Event', { exact: true }).fill('exported')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('events.jsonl')
  expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toMatchObject({ event: 'exported', distinct_id: 'ada' })
  await expectAccessible(page)

  await send([{ event: '', distinct_id: 'ada' }])
  await page.getByRole('tab', { name: 'Rejected events' }).click()
  await expect(page.getByRole('table', { name: 'Rejected events by reason' })).toContainText('missing_event_name')
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Limits and health' }).click()
  await expect(page.getByText('The service is ready')).toBeVisible()
  expect(page.url()).toContain('tab=health')
  await expectAccessible(page)
})

test('settings keep the input when the service rejects it', async ({ view: { service, page, open } }) => {
  await open('settings')
  await page.getByLabel('Time zone').fill('Europe/Nowhere')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Time zone')).toHaveAccessibleDescription(/time zone/i)
  await expect(page.getByLabel('Time zone')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Nowhere')

  await service.api('POST', '/endpoints', {
    name: 'uses_host',
    query: { kind: 'HogQLQuery', query: 'SELECT {variables.host}' },
  })
  await open('settings?tab=variables')
  await page.getByRole('button', { name: 'Delete the variable host' }).click()
  await page.getByRole('button', { name: 'Delete the variable', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('uses_host')
})

test('settings authorize sites for the toolbar, and open it there with a code in the fragment', async ({
  view: { service, page },
}) => {
  // The target of the toolbar's own link, which has no project.
  await page.goto(`${service.url}/settings?tab=toolbar`)
  await page.getByLabel('New site').fill('shop.example')
  await page.getByRole('button', { name: 'Add the site' }).click()
  await expect(page.getByLabel('New site')).toHaveAccessibleDescription(/is not an origin/)
  await expect(page.getByLabel('New site')).toHaveValue('shop.example')
  await page.getByLabel('New site').fill(service.url)
  await page.getByRole('button', { name: 'Add the site' }).click()
  await expect(page.getByRole('list', { name: 'Sites' }).getByText(service.url)).toBeVisible()
  await expect(page.getByLabel('New site')).toHaveValue('')
  await expectAccessible(page)

  const path = page.getByLabel(`Page of ${service.url}`)
  const open = page.getByRole('button', { name: `Open the toolbar on ${service.url}` })
  await path.fill('//evil.example')
  await open.click()
  await expect(page.getByRole('alert')).toContainText('"path" must be the path of a page')
  await path.fill('/_health?page=1')
  const opened = page.context().waitForEvent('page')
  await open.click()
  const tab = await opened
  await tab.waitForURL(/#__trailmark_toolbar=tmb_[0-9a-f]{32}$/)
  expect(tab.url()).toContain(`${service.url}/_health?page=1#`)
  await tab.close()
  await page.reload()
  await expect(path).toHaveValue('/_health?page=1')

  await page.getByRole('button', { name: `Remove ${service.url}` }).click()
  await expect(page.getByText(`The toolbar no longer opens on ${service.url}.`)).toBeVisible()
  await expect(page.getByRole('list', { name: 'Sites' }).getByRole('listitem')).toHaveCount(0)
  expect((await service.api('GET', '')).body).toMatchObject({ toolbar_origins: [] })
})
