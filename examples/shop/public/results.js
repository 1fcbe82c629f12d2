// Keeps the numbers current: reloads them when the service has stored events.

// Waits for events that follow shortly after.
const SETTLE_MS = 400

const results = () => document.getElementById('results')

let waiting
const refresh = async () => {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => undefined)
  if (!response?.ok) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('results')
  // Leaves an open selection and opened queries as they are.
  const choices = document.getElementById('choices')
  if (choices) fresh.querySelector('#choices')?.replaceWith(choices)
  const opened = [...results().querySelectorAll('details[open] summary')].map((summary) => summary.textContent)
  for (const details of fresh.querySelectorAll('details'))
    details.open = opened.includes(details.querySelector('summary').textContent)
  results().replaceChildren(...document.adoptNode(fresh).childNodes)
}

analytics.on('eventsDelivered', () => {
  clearTimeout(waiting)
  waiting = setTimeout(refresh, SETTLE_MS)
})

document.addEventListener('change', ({ target }) => {
  if (!target.closest('#choices')) return
  const chosen = new URLSearchParams(new FormData(target.form))
  history.replaceState(null, '', `/results?${chosen}`)
  analytics.capture('results filtered', Object.fromEntries(chosen))
  refresh()
})
