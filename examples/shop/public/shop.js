// `analytics` is always read anew: first it is the snippet's stand-in, later the SDK itself.

const parsed = (text) => JSON.parse(text ?? '{}')

// What a page's markup says: data-event names the event, data-properties what it carries.
const captureFrom = ({ dataset }, more = {}) =>
  analytics.capture(dataset.event, { ...parsed(dataset.properties), ...more })

document.addEventListener('submit', ({ target }) => {
  if (target.dataset.event) captureFrom(target, { quantity: Number(new FormData(target).get('quantity') ?? 1) })
  // Whoever signs out leaves as somebody new: what follows is not the person's any more.
  if ('reset' in target.dataset) analytics.reset()
})

document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[data-event]')
  if (link) captureFrom(link)
})

const account = document.getElementById('account')
if (account) analytics.identify(account.dataset.person, parsed(account.dataset.traits))

// The order's own id and time make this the same event however often the page is opened; the service counts it once.
const order = document.getElementById('order')
if (order)
  analytics.capture('purchase', parsed(order.dataset.purchase), {
    uuid: order.dataset.order,
    timestamp: new Date(order.dataset.placedAt),
  })
