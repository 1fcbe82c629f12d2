import type { Page } from 'playwright/test'
import type * as endpointsEntry from '../../src/entries/endpoints'
import { expect, test } from '../support/scenario'
import type { Service } from '../support/service'
import type { Site } from '../support/site'

const PURCHASES =
  'SELECT properties.item AS item FROM events WHERE properties.org = {variables.org} AND properties.item >= {variables.item_from} ORDER BY item'

/** A page on another origin than the service that contains the client. */
const open = async (page: Page, site: Site) => {
  site.page('/dashboard', '<!doctype html><html><head><link rel="icon" href="data:,"></head><body></body></html>')
  await page.goto(`${site.url}/dashboard`)
}

/** Runs the endpoint in the page and returns its rows or the error code. */
const runIn = (page: Page, service: Service, runToken: string, variables: object) =>
  page.evaluate(
    async ({ host, runToken, variables, client }) => {
      const { createEndpoints } = (await import(client)) as typeof endpointsEntry
      const endpoints = createEndpoints({ host, projectId: 1, runToken })
      return endpoints.run('purchases_of_org', variables as Record<string, unknown>).then(
        ({ rows }) => rows,
        (error: { code: string }) => error.code,
      )
    },
    { host: service.url, runToken, variables, client: '/sdk/endpoints.js' },
  )

test('a page on another origin runs an endpoint with a run token, within its limits', async ({
  page,
  site,
  service,
}) => {
  for (const name of ['org', 'item from']) await service.api('POST', '/insight_variables/', { name, type: 'String' })
  expect(
    (
      await service.api('POST', '/endpoints/', {
        name: 'purchases_of_org',
        query: { kind: 'HogQLQuery', query: PURCHASES },
      })
    ).status,
  ).toBe(201)
  const batch = ['acme', 'acme', 'rival'].map((org, index) => ({
    event: 'bought',
    timestamp: new Date().toISOString(),
    properties: { distinct_id: 'visitor', org, item: `item ${index}` },
  }))
  expect(
    (await fetch(`${service.url}/e/`, { method: 'POST', body: JSON.stringify({ api_key: service.token, batch }) }))
      .status,
  ).toBe(200)

  const make = async (more: object) => {
    const { status, body } = await service.api('POST', '/endpoints/run_tokens', {
      endpoints: ['purchases_of_org'],
      variables: { org: 'acme' },
      ...more,
    })
    expect([status, body.detail]).toEqual([201, undefined])
    return { id: body.id as string, token: body.token as string }
  }
  const { id, token } = await make({ origins: [site.url] })
  await open(page, site)

  expect(await runIn(page, service, token, { item_from: '' })).toEqual([{ item: 'item 0' }, { item: 'item 1' }])
  expect(await runIn(page, service, token, { item_from: 'item 1' })).toEqual([{ item: 'item 1' }])
  expect(await runIn(page, service, token, { item_from: '', org: 'rival' })).toBe('invalid_variables')
  expect(
    await runIn(page, service, (await make({ origins: ['https://elsewhere.example'] })).token, { item_from: '' }),
  ).toBe('origin_not_allowed')

  // Without the client's own check, the browser hides responses to personal API keys from the page.
  const byKey = await page.evaluate(
    ({ url, key }) =>
      fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: '{"variables":{"org":"rival","item_from":""}}',
      }).then(
        () => 'read',
        () => 'not readable',
      ),
    { url: `${service.url}/api/projects/1/endpoints/purchases_of_org/run`, key: service.key },
  )
  expect(byKey).toBe('not readable')

  expect(
    (
      await fetch(`${service.url}/api/projects/1/endpoints/run_tokens/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${service.key}` },
      })
    ).status,
  ).toBe(204)
  expect(await runIn(page, service, token, { item_from: '' })).toBe('run_token_revoked')
})
