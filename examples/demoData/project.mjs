// What the project of the generated shop has besides events: flags, a survey, saved insights and a dashboard.

const isOf = (key, ...value) => ({ key, type: 'person', operator: 'exact', value })

const FLAGS = [
  {
    key: 'express-checkout',
    name: 'Checkout on one page. Half of the visitors see it.',
    active: true,
    filters: {
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: {
        variants: [
          { key: 'control', name: 'Three steps', rollout_percentage: 50 },
          { key: 'short', name: 'One page', rollout_percentage: 50 },
        ],
      },
      payloads: { short: '{"steps": 1}' },
    },
  },
  {
    key: 'free-shipping',
    name: 'Free shipping for members',
    active: true,
    filters: { groups: [{ properties: [isOf('plan', 'summit', 'trail')], rollout_percentage: 100 }] },
  },
  {
    key: 'winter-theme',
    name: 'Snow on the home page',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 20 }] },
  },
  {
    key: 'old-planner',
    name: 'The planner before its redesign',
    active: false,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
  },
]

const FEATURE = {
  name: 'Night mode of the planner',
  description: 'Plans walks after sunset.',
  stage: 'beta',
}

const survey = (now) => ({
  name: 'After an order of the shop',
  type: 'popover',
  questions: [
    {
      type: 'rating',
      question: 'How likely are you to recommend us to a friend?',
      display: 'number',
      scale: 10,
      lowerBoundLabel: 'Not likely',
      upperBoundLabel: 'Very likely',
    },
    {
      type: 'single_choice',
      question: 'How did you find us?',
      choices: ['A search', 'A friend', 'The newsletter', 'The journal'],
    },
    { type: 'open', question: 'What should we do better?', optional: true },
  ],
  conditions: { events: { values: [{ name: 'order placed' }] } },
  start_date: new Date(now).toISOString(),
})

const events = (...names) => names.map((event) => ({ kind: 'EventsNode', event }))
const LAST_30_DAYS = { date_from: '-29d' }

/** Insights that the console's builder opens. */
const INSIGHTS = {
  orders_per_day: {
    kind: 'TrendsQuery',
    series: [{ ...events('order placed')[0], math: 'total' }],
    interval: 'day',
    dateRange: LAST_30_DAYS,
  },
  from_view_to_order: {
    kind: 'FunnelsQuery',
    series: events('product viewed', 'product added', 'checkout started', 'order placed'),
    dateRange: LAST_30_DAYS,
  },
  checkout_by_variant: {
    kind: 'FunnelsQuery',
    series: events('checkout started', 'order placed'),
    breakdownFilter: { breakdowns: [{ property: '$feature/express-checkout', type: 'event' }] },
    dateRange: LAST_30_DAYS,
  },
  visitors_who_return: {
    kind: 'RetentionQuery',
    retentionFilter: {
      retentionType: 'retention_first_time',
      targetEntity: { id: '$pageview', type: 'events' },
      returningEntity: { id: '$pageview', type: 'events' },
      period: 'Week',
      totalIntervals: 8,
    },
  },
}

const REVENUE = {
  kind: 'HogQLQuery',
  query: `SELECT sum(toFloat(properties.total)) AS revenue, count() AS orders FROM events
WHERE event = 'order placed' AND timestamp >= now() - INTERVAL 30 DAY`,
}
const BEST_SELLERS = {
  kind: 'HogQLQuery',
  query: `SELECT properties.product AS product, count() AS added FROM events
WHERE event = 'product added' GROUP BY product ORDER BY added DESC LIMIT 10`,
}

const TILES = [
  { title: 'Revenue and orders, 30 days', display: 'number', query: REVENUE, w: 4, h: 4 },
  { title: 'Orders', display: 'line', endpoint: 'orders_per_day', w: 8, h: 4 },
  { title: 'From view to order', display: 'funnel', endpoint: 'from_view_to_order', w: 6, h: 5 },
  { title: 'Checkout by variant', display: 'funnel', endpoint: 'checkout_by_variant', w: 6, h: 5 },
  { title: 'Visitors who return', display: 'retention', endpoint: 'visitors_who_return', w: 8, h: 5 },
  { title: 'Best sellers', display: 'bar', query: BEST_SELLERS, w: 4, h: 5 },
]

/** Places tiles in rows of 12 columns. */
const placed = (tiles) => {
  let [x, y] = [0, 0]
  return tiles.map((tile, index) => {
    if (x + tile.w > 12) [x, y] = [0, y + tiles[index - 1].h]
    const box = { id: `shop-${index}`, x, y, ...tile }
    x += tile.w
    return box
  })
}

/**
 * Creates what is not there yet. `ask` sends a request to the project's API. Returns the survey, whose answers need its ids.
 */
export const defineProject = async (ask, now) => {
  const named = async (path, name, field = 'name') =>
    (await ask('GET', path)).results.find((each) => each[field] === name)
  const make = async (path, body, field = 'name') => (await named(path, body[field], field)) ?? ask('POST', path, body)
  for (const flag of FLAGS) await make('/feature_flags', flag, 'key')
  await make('/early_access_feature', FEATURE)
  for (const [name, query] of Object.entries(INSIGHTS)) await ask('PUT', `/endpoints/${name}`, { query })
  await make('/dashboards', { name: 'The shop', description: 'Orders, and what leads to them.', tiles: placed(TILES) })
  const { id } = await make('/surveys', survey(now))
  return ask('GET', `/surveys/${id}`)
}
