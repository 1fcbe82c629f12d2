// The panel: each event as it is captured, and when the service has stored it. It survives page loads within the tab.

const KEPT = 'panel'
const MOST_ENTRIES = 60
// Delays after which the panel asks the shop's server about events that the previous page sent while closing, in ms.
const CHECK_AFTER_MS = [700, 1_500, 3_000, 6_000]

const make = (tag, className, text) => {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text !== undefined) element.textContent = text
  return element
}

const readKept = () => {
  try {
    return { open: false, entries: [], ...JSON.parse(sessionStorage.getItem(KEPT)) }
  } catch {
    // Storage is off or has other content: the panel starts empty.
    return { open: false, entries: [] }
  }
}

/**
 * @type {{ open: boolean, entries: { key: string, event: string, at: number, state: 'pending' | 'stored' | 'dropped',
 * ms?: number, reason?: string, hint: string, properties: object }[] }}
 */
const panel = readKept()

const keep = () => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(panel))
  } catch {
    // Without storage the panel starts empty on the next page.
  }
}

/** Returns a short text that distinguishes events with the same name. */
const hintOf = ({ event, properties }) => {
  if (event === 'purchase') return `${properties.amount} ${properties.currency}`
  if (event === '$identify') return properties.distinct_id
  if (event === '$exception') return properties.$exception_list?.[0]?.value ?? ''
  if (event === '$web_vitals')
    return ['LCP', 'FCP', 'INP', 'CLS', 'TTFB'].filter((name) => `$web_vitals_${name}_value` in properties).join(', ')
  if (properties.$event_type)
    return `${properties.$event_type} ${properties.$el_text ? `“${properties.$el_text}”` : `on ${properties.$pathname}`}`
  return properties.product ?? properties.walk ?? properties.item ?? properties.$pathname ?? ''
}

// The event's own properties, without those that every event has.
const ownProperties = ({ properties }) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(
        ([name]) =>
          !name.startsWith('$') || ['$pathname', '$el_text', '$event_type', '$anon_distinct_id'].includes(name),
      )
      .filter(([name]) => name !== 'token'),
  )

const entryOf = (uuid) => panel.entries.find(({ key }) => key === uuid)

const TAKE = {
  eventCaptured: (captured, at) => {
    panel.entries = panel.entries.filter(({ key }) => key !== captured.uuid)
    panel.entries.unshift({
      key: captured.uuid,
      event: captured.event,
      at,
      state: 'pending',
      hint: String(hintOf(captured)),
      properties: ownProperties(captured),
    })
    panel.entries.length = Math.min(panel.entries.length, MOST_ENTRIES)
  },
  eventsDelivered: ({ uuids }, at) => {
    for (const entry of uuids.map(entryOf))
      if (entry?.state === 'pending') Object.assign(entry, { state: 'stored', ms: at - entry.at })
  },
  eventDropped: ({ event, uuid, reason }, at) => {
    const entry = uuid && entryOf(uuid)
    if (entry) Object.assign(entry, { state: 'dropped', reason })
    else TAKE.eventCaptured({ uuid: uuid ?? `dropped-${at}-${Math.random()}`, event, properties: {} }, at)
    Object.assign(entry ?? panel.entries[0], { state: 'dropped', reason })
  },
}

const WORDS = {
  pending: () => 'waiting',
  stored: ({ ms }) => (ms === undefined ? 'stored' : `stored, ${ms} ms`),
  dropped: ({ reason }) => `dropped: ${reason.replaceAll('_', ' ')}`,
}

/** What to do about a drop, by its reason. */
const ADVICE = {
  bot: 'This browser identifies itself as automated. Set opt_out_useragent_filter: true to keep its events.',
  opted_out: 'This visitor opted out. analytics.opt_in_capturing() turns capturing on again.',
  rate_limited: 'More events than rate_limiting allows.',
  turned_off_by_service: 'The project has this kind of event turned off.',
}

const root = make('aside', 'watch ph-no-capture')
root.setAttribute('aria-label', 'Captured events')
const toggle = make('button', 'watch-toggle')
toggle.type = 'button'
toggle.setAttribute('aria-controls', 'watch-body')
// Not replaced when events arrive: a browser drops a click whose element is removed while the button is down.
const toggleLabel = make('span')
toggle.append(make('span', 'watch-dot'), toggleLabel)
const body = make('div', 'watch-body')
body.id = 'watch-body'
const list = make('ol', 'watch-list')
const foot = make('p', 'watch-foot')
const clear = make('button', 'watch-clear', 'Clear')
clear.type = 'button'
const results = make('a', '', 'Results')
results.href = '/results'
foot.append(make('span', '', 'What you do here, as Trailmark sees it.'), results, clear)
body.append(list, foot)
root.append(body, toggle)

const rows = new Map()

/** Returns the stages an event passed in the SDK, or '' if this page has no record of it. */
const wayOf = ({ key, event }) => {
  const [found] = window.analytics.explain?.(key.startsWith('dropped-') ? event : key) ?? []
  return found
    ? `${found.stages.join(' → ')}${found.reason ? ` ✕ ${found.reason.replaceAll('_', ' ')}` : ` → ${found.state}`}`
    : ''
}

const makeRow = (entry) => {
  const item = make('li')
  const details = make('details')
  const summary = make('summary')
  const state = make('span', 'watch-state')
  const words = make('span', 'watch-words')
  words.append(make('code', '', entry.event), make('small', '', entry.hint))
  const advice = make('p', 'watch-advice')
  summary.append(make('span', 'watch-dot'), words, state, advice)
  const way = make('p', 'watch-way')
  details.append(summary, way, make('pre', '', JSON.stringify(entry.properties, null, 1)))
  details.addEventListener('toggle', () => (way.textContent = wayOf(entry)))
  item.append(details)
  return { item, state, advice }
}

const drawEntry = (entry) => {
  if (!rows.has(entry.key)) rows.set(entry.key, makeRow(entry))
  const { item, state, advice } = rows.get(entry.key)
  item.dataset.state = entry.state
  item.dataset.event = entry.event
  state.textContent = WORDS[entry.state](entry)
  advice.textContent = ADVICE[entry.reason] ?? ''
  return item
}

const counts = () => {
  const of = (wanted) => panel.entries.filter(({ state }) => state === wanted).length
  return { pending: of('pending'), stored: of('stored'), dropped: of('dropped') }
}

const draw = () => {
  const { pending, stored, dropped } = counts()
  root.dataset.open = panel.open
  root.dataset.state = pending ? 'pending' : dropped ? 'dropped' : 'stored'
  toggle.setAttribute('aria-expanded', panel.open)
  toggleLabel.textContent = [`${stored} stored`, pending && `${pending} waiting`, dropped && `${dropped} dropped`]
    .filter(Boolean)
    .join(' · ')
  body.hidden = !panel.open
  for (const key of rows.keys()) if (!entryOf(key)) rows.delete(key)
  const items = panel.entries.map(drawEntry)
  // Rows are reused, so that opened details and the focus stay.
  items.forEach((item, index) => list.children[index] !== item && list.insertBefore(item, list.children[index] ?? null))
  while (list.children.length > items.length) list.lastChild.remove()
}

const change = (step) => {
  step()
  keep()
  draw()
}

const take = ({ name, value, at }) => change(() => TAKE[name](value, at))

toggle.addEventListener('click', () => change(() => (panel.open = !panel.open)))
clear.addEventListener('click', () => change(() => (panel.entries = [])))

/** Asks the shop's server which events have arrived, because the previous page closed before it received the response. */
const checkCarried = async (carried) => {
  const waiting = carried.filter((key) => entryOf(key)?.state === 'pending')
  if (waiting.length === 0) return
  const { stored } = await fetch(`/stored?uuids=${waiting.join(',')}`).then(
    (response) => response.json(),
    () => ({ stored: [] }),
  )
  change(() => {
    for (const entry of stored.map(entryOf)) if (entry?.state === 'pending') entry.state = 'stored'
  })
}

const carried = panel.entries.filter(({ state }) => state === 'pending').map(({ key }) => key)
if (carried.length) for (const delay of CHECK_AFTER_MS) setTimeout(() => checkCarried(carried), delay)

const early = window.panelNotices ?? []
window.panelNotices = { push: take }
early.forEach(take)
draw()
document.body.append(root)
