import { analytics } from 'trailmark'
import { routeAt } from './routes'
import { readSettings } from './settings'

const { host, token } = readSettings(location.search, import.meta.env)
const status = document.querySelector('#status')!
const app = document.querySelector('#app')!

// The settings stay in the URL, so that a reload on any page keeps them.
const search = location.search

const draw = () => {
  const route = routeAt(location.pathname)
  document.title = `${route.title} · Trailmark with Vite`
  const heading = Object.assign(document.createElement('h1'), { textContent: route.title })
  const text = Object.assign(document.createElement('p'), { textContent: route.text })
  const buttons = route.actions.map(({ id, label, run }) => {
    const button = Object.assign(document.createElement('button'), { id, textContent: label, type: 'button' })
    button.addEventListener('click', () => run(analytics))
    return button
  })
  app.replaceChildren(heading, text, ...buttons)
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-route]')) {
    if (routeAt(link.pathname) === route) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-route]')
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.pathname + search)
  draw()
})
addEventListener('popstate', draw)
draw()

if (host && token) {
  analytics.init(token, { api_host: host, defaults: '2026-01-30' })
  const counts = { captured: 0, stored: 0 }
  const tell = () => (status.textContent = `${counts.captured} captured, ${counts.stored} stored`)
  // Immediately, because without a visible response the click would count as a dead click.
  analytics.on('eventCaptured', () => {
    counts.captured += 1
    tell()
  })
  analytics.on('eventsDelivered', ({ uuids }) => {
    counts.stored += uuids.length
    tell()
  })
} else {
  status.textContent = 'Add ?host=…&token=… to the address, as the service prints them.'
}
