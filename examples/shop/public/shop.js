// Always read `analytics` from the page: first it is the snippet's stub, later the SDK.

const parsed = (text) => JSON.parse(text ?? '{}')

// Events in the markup: data-event is the name, data-properties are the properties.
const captureFrom = ({ dataset }, more = {}) =>
  analytics.capture(dataset.event, { ...parsed(dataset.properties), ...more })

document.addEventListener('submit', ({ target }) => {
  if (target.dataset.event) captureFrom(target, { quantity: Number(new FormData(target).get('quantity') ?? 1) })
  // After signing out, events belong to a new anonymous visitor.
  if ('reset' in target.dataset) analytics.reset()
})

document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[data-event]')
  if (link) captureFrom(link)
})

const account = document.getElementById('account')
if (account) analytics.identify(account.dataset.person, parsed(account.dataset.traits))

// With the order's id and time, this is the same event each time the page is opened, and the service counts it once.
const order = document.getElementById('order')
if (order)
  analytics.capture('purchase', parsed(order.dataset.purchase), {
    uuid: order.dataset.order,
    timestamp: new Date(order.dataset.placedAt),
  })
