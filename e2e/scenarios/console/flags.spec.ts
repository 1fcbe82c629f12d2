import { expect, expectAccessible, test } from '../../support/console'

test('a flag is created, tested before it is saved, deactivated and deleted', async ({
  view: { service, page, open, send },
}) => {
  await send([
    {
      event: '$identify',
      distinct_id: 'ada',
      timestamp: new Date().toISOString(),
      properties: { $set: { plan: 'pro' } },
    },
  ])
  await open('flags')
  await page.getByRole('link', { name: 'Create the first flag' }).click()
  await page.getByLabel('Key', { exact: true }).fill('new-checkout')
  await page.getByText('Variants', { exact: true }).click()
  await page.getByLabel('Payload (JSON)').first().fill('{"steps": 2}')
  await page.getByRole('button', { name: 'Add a property' }).click()
  await page.getByLabel('Property', { exact: true }).fill('plan')
  await page.getByLabel('Value', { exact: true }).fill('pro')
  await page.getByRole('combobox', { name: 'Variant' }).selectOption('control')

  // The tester explains the unsaved flag for people who get it and people who do not.
  await page.getByLabel('Distinct id').fill('ada')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('Decides', { exact: true })).toBeVisible()
  await expect(page.getByLabel('Payload', { exact: true })).toContainText('steps')
  await page.getByLabel('Distinct id').fill('bo')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('No person with this distinct id is stored')).toBeVisible()
  await expect(page.getByText('Does not match', { exact: true })).toBeVisible()
  expect(page.url()).toContain('person=bo')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Count people' }).click()
  await expect(page.getByText('1 of 1 people (100%) get the flag.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'ada', exact: true })).toBeVisible()
  await expectAccessible(page)

  // Unsaved input survives a reload.
  await page.reload()
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue('new-checkout')
  await page.getByRole('button', { name: 'Create the flag' }).click()
  await expect(page.getByRole('heading', { name: 'new-checkout' })).toBeVisible()
  const stored = async () => (await service.api('GET', '/feature_flags')).body.results as Record<string, unknown>[]
  expect(await stored()).toMatchObject([
    {
      key: 'new-checkout',
      active: true,
      filters: {
        groups: [
          {
            properties: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }],
            rollout_percentage: 100,
            variant: 'control',
          },
        ],
        payloads: { control: '{"steps": 2}' },
      },
    },
  ])

  await page.getByRole('button', { name: 'Offer early access' }).click()
  await page.getByLabel('Stage').selectOption('beta')
  await page.getByRole('button', { name: 'Save early access' }).click()
  await expect(page.getByText('Early access is saved.')).toBeVisible()

  await page.getByRole('button', { name: 'Deactivate' }).click()
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'All flags' }).click()
  await expect(page.getByRole('table', { name: 'Feature flags' })).toContainText('People with 1 property')
  await expectAccessible(page)

  await page.getByRole('link', { name: 'new-checkout' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the flag' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Delete the feature first')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'End early access' }).click()
  await expect(page.getByRole('button', { name: 'Offer early access' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the flag' }).click()
  await expect(page.getByRole('heading', { name: 'No flags yet' })).toBeVisible()
})

test('errors of a flag are shown next to their fields, and no input is lost', async ({
  view: { service, page, open },
}) => {
  const groups = [{ properties: [], rollout_percentage: 100 }]
  await service.api('POST', '/feature_flags', { key: 'taken', filters: { groups } })
  await open('flags/new')
  await page.getByLabel('Key', { exact: true }).fill('no spaces')
  await page.getByLabel('Payload').fill('{broken')
  await page.getByRole('button', { name: 'Create the flag' }).click()
  const key = page.getByLabel('Key', { exact: true })
  await expect(key).toHaveAttribute('aria-invalid', 'true')
  await expect(key).toHaveAccessibleDescription(/letters, digits, underscores and hyphens/)
  await key.fill('fine')
  await page.getByRole('button', { name: 'Create the flag' }).click()
  await expect(page.getByLabel('Payload')).toHaveAccessibleDescription(/must be JSON/)
  await page.getByLabel('Payload').fill('')

  await page.getByRole('button', { name: 'Add a property' }).click()
  await page.getByLabel('Property', { exact: true }).fill('email')
  await page.getByLabel('Condition', { exact: true }).selectOption('regex')
  await page.getByLabel('Value', { exact: true }).fill('(a')
  await page.getByRole('button', { name: 'Create the flag' }).click()
  await expect(page.getByRole('group', { name: 'Condition 1' })).toContainText('takes a regular expression')
  await expect(page.getByLabel('Value', { exact: true })).toHaveValue('(a')

  await page.getByText('Override stored properties').click()
  await page.getByLabel('Distinct id').fill('ada')
  await page.getByLabel('Properties (JSON)').fill('[1]')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('The properties must be a JSON object')).toBeVisible()

  await open('flags/999')
  await expect(page.getByRole('heading', { name: 'There is no such flag' })).toBeVisible()
})
