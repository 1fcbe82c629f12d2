import { make } from './make.js'
import { packingFor, walkBySlug, WALKS } from './walks.js'

const WIDTH = 600
const HEIGHT = 160

/** The elevation profile of a walk. */
const profile = ({ heights, name }) => {
  const [low, high] = [Math.min(...heights) - 60, Math.max(...heights) + 40]
  const points = heights.map((height, index) => [
    (index / (heights.length - 1)) * WIDTH,
    HEIGHT - ((height - low) / (high - low)) * HEIGHT,
  ])
  const line = points.map(([x, y], index) => `${index ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
  return make(
    'svg',
    {
      class: 'profile',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `${name}: from ${heights[0]} m up to ${Math.max(...heights)} m`,
    },
    make('path', { class: 'profile-ground', d: `${line}V${HEIGHT}H0z` }),
    make('path', { class: 'profile-line', d: line, fill: 'none' }),
  )
}

const climb = ({ heights }) =>
  heights.reduce((sum, height, index) => sum + Math.max(0, height - (heights[index - 1] ?? height)), 0)

const facts = (walk) =>
  make(
    'p',
    { class: 'walk-facts' },
    `${walk.kilometres} km`,
    make('span', {}, '·'),
    `${walk.hours} h`,
    make('span', {}, '·'),
    `${climb(walk)} m up`,
  )

const walkCard = (walk) =>
  make(
    'li',
    { class: 'walk' },
    profile(walk),
    make(
      'div',
      { class: 'walk-words' },
      make('h2', {}, make('a', { href: `/app/walks/${walk.slug}`, 'data-inside': true }, walk.name)),
      facts(walk),
      make('p', {}, walk.text),
    ),
  )

const walksPage = () => ({
  title: 'Walks',
  content: [make('h1', {}, 'Where to?'), make('ul', { class: 'walks' }, ...WALKS.map(walkCard))],
})

const walkPage = (slug, { chosen, choose }) => {
  const walk = walkBySlug(slug)
  if (!walk) return lostPage()
  const button = make(
    'button',
    { class: 'button', id: 'plan-walk', type: 'button' },
    chosen() === slug ? 'Planned. Pack for it' : 'Plan this walk',
  )
  button.addEventListener('click', () => choose(walk))
  return {
    title: walk.name,
    content: [
      make('h1', {}, walk.name),
      facts(walk),
      make('div', { class: 'walk-wide' }, profile(walk)),
      make('p', { class: 'lead' }, walk.text),
      make('p', {}, `Ends at ${walk.hut}.`),
      make('p', { class: 'actions' }, button),
    ],
  }
}

const packingPage = ({ chosen, packed, pack }) => {
  const walk = walkBySlug(chosen())
  if (!walk)
    return {
      title: 'Packing',
      content: [
        make('h1', {}, 'Packing'),
        make('p', { class: 'lead' }, 'Choose a walk first, then there is something to pack for.'),
        make('p', {}, make('a', { class: 'button', href: '/app', 'data-inside': true }, 'Choose a walk')),
      ],
    }
  const items = packingFor(walk).map((item) => {
    const box = make('input', { type: 'checkbox', checked: packed().includes(item) })
    box.addEventListener('change', () => pack(walk, item, box.checked))
    return make('li', {}, make('label', { class: 'choice' }, box, ` ${item}`))
  })
  return { title: 'Packing', content: [make('h1', {}, `For ${walk.name}`), make('ul', { class: 'packing' }, ...items)] }
}

const lostPage = () => ({
  title: 'Off the map',
  content: [
    make('h1', {}, 'Off the map'),
    make('p', {}, make('a', { class: 'button', href: '/app', 'data-inside': true }, 'Back to the walks')),
  ],
})

/** Returns the page at a path below /app: `{ title, content }`. */
export const pageAt = (pathname, trip) => {
  const [, , section, slug] = pathname.replace(/\/$/, '').split('/')
  if (!section) return walksPage()
  if (section === 'walks' && slug) return walkPage(slug, trip)
  if (section === 'packing') return packingPage(trip)
  return lostPage()
}
