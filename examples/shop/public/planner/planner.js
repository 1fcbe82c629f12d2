import { pageAt } from './pages.js'

const KEPT = 'trip'

const readTrip = () => {
  try {
    return { walk: undefined, packed: [], ...JSON.parse(localStorage.getItem(KEPT)) }
  } catch {
    // Storage is off or has other content: no walk is planned.
    return { walk: undefined, packed: [] }
  }
}

let kept = readTrip()
const change = (next) => {
  kept = next
  try {
    localStorage.setItem(KEPT, JSON.stringify(kept))
  } catch {
    // Without storage the trip is lost with this page.
  }
}

const trip = {
  chosen: () => kept.walk,
  packed: () => kept.packed,
  choose: (walk) => {
    if (kept.walk !== walk.slug) {
      change({ walk: walk.slug, packed: [] })
      analytics.capture('trip planned', { walk: walk.slug, kilometres: walk.kilometres, hours: walk.hours })
    }
    goTo('/app/packing')
  },
  pack: (walk, item, isPacked) => {
    change({ ...kept, packed: isPacked ? [...kept.packed, item] : kept.packed.filter((other) => other !== item) })
    if (isPacked) analytics.capture('item packed', { walk: walk.slug, item })
  },
}

const draw = () => {
  const { title, content } = pageAt(location.pathname, trip)
  document.title = `${title} · Trip planner · Larch & Lantern`
  document.getElementById('planner').replaceChildren(...content)
  for (const link of document.querySelectorAll('.tabs a')) {
    const isHere =
      link.pathname === '/app'
        ? !location.pathname.startsWith('/app/packing')
        : location.pathname.startsWith(link.pathname)
    if (isHere) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

// No code for pageviews: the SDK observes the history API.
const goTo = (path) => {
  history.pushState(null, '', path)
  draw()
  scrollTo(0, 0)
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-inside]')
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  goTo(link.pathname)
})
addEventListener('popstate', draw)
draw()
