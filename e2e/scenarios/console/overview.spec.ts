import { expect, expectAccessible, test } from '../../support/console'

const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()

/** The events of one visit: its pages, a minute apart. */
const visit = (person: string, minutesAgo: number, pages: readonly string[], properties: object = {}) =>
  pages.map((path, index) => ({
    event: '$pageview',
    distinct_id: person,
    timestamp: at(minutesAgo - index),
    properties: {
      $session_id: `${person}-${minutesAgo}`,
      $current_url: `https://shop.example${path}`,
      $pathname: path,
      $host: 'shop.example',
      ...properties,
    },
  }))

test('the overview shows visitors, pages and sources, filters by a clicked row, and keeps its state in the URL', async ({
  view: { page, open, send },
}) => {
  const search = {
    $referrer: 'https://www.google.com/',
    $referring_domain: 'www.google.com',
    $geoip_country_code: 'NO',
  }
  await send([
    ...visit('ada', 30, ['/', '/basket'], search),
    ...visit('bo', 40, ['/', '/about'], { $geoip_country_code: 'DE' }),
    ...visit('cleo', 50, ['/about'], { $geoip_country_code: 'DE' }),
  ])
  await open('overview?period=24h')
  const visitors = page.getByRole('button', { name: /^Visitors/ })
  await expect(visitors).toContainText('3')
  await expect(page.getByRole('button', { name: /^Views/ })).toContainText('5')
  await expect(page.getByRole('region', { name: 'Sources' })).toContainText('Organic Search')
  await expect(page.getByRole('region', { name: 'Locations' })).toContainText('Norway')
  await expect(page.getByRole('figure', { name: 'Visitors over time' })).toContainText('Incomplete')
  await expectAccessible(page)

  // The number of a row opens its people.
  const sources = page.getByRole('region', { name: 'Sources' })
  await sources
    .getByRole('row', { name: /^Organic Search/ })
    .getByTitle('1. Show the people')
    .click()
  await expect(page.getByRole('dialog').getByRole('link', { name: 'ada' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('link', { name: 'ada' }).click()
  await expect(page.getByRole('heading', { name: 'ada' })).toBeVisible()
  await page.goBack()

  // A row filters, and the keyboard reaches it.
  await page.getByRole('button', { name: '/basket', exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect(visitors).toContainText('1')
  expect(page.url()).toContain('f=is,$pathname,/basket')
  await page.getByRole('button', { name: /^Views/ }).click()
  await expect(page.getByRole('figure', { name: 'Views over time' })).toBeVisible()
  await page.getByRole('button', { name: 'Show as table' }).click()
  await expect(page.getByRole('table', { name: 'Views over time' })).toBeVisible()

  await page.goBack()
  await page.goBack()
  await expect(visitors).toContainText('3')
  await page.goForward()
  await expect(visitors).toContainText('1')
  await page.reload()
  await expect(visitors).toContainText('1')
})

test('the overview shows conversions of a goal, and the median duration beside the mean', async ({
  view: { page, open, send },
}) => {
  const signup = { event: 'signed up', distinct_id: 'ada', timestamp: at(29), properties: { $session_id: 'ada-30' } }
  await send([...visit('ada', 30, ['/', '/basket']), ...visit('bo', 40, ['/']), signup])
  await open('overview?period=24h')
  await expect(page.getByTitle('Mean: 30 seconds. Median: 30 seconds')).toBeVisible()
  await page.getByLabel('Conversion goal').selectOption({ label: 'Goal: signed up' })
  await expect(page.getByRole('button', { name: /^Conversion rate/ })).toContainText('50%')
  const pages = page.getByRole('region', { name: 'Pages' })
  await expect(pages.getByRole('row', { name: '/ 2 1 50%', exact: true })).toBeVisible()
  expect(page.url()).toContain('goal=signed')
  await expectAccessible(page)
})

test('the overview of a project without events shows the next step, and an invalid filter in the URL is ignored', async ({
  view: { page, open },
}) => {
  await open('overview?f=broken&f=is&period=nonsense&metric=nonsense')
  await expect(page.getByRole('button', { name: 'Last 7 days' })).toBeVisible()
  await expect(page.getByText('No visits in this period')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Set up your site' })).toBeVisible()
})
