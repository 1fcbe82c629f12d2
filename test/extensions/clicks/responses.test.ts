import { click, find, startClickDetection } from '../../support/startClicks'

const PAGE =
  '<header><output id="far"></output></header><main><section><button id="b" class="wide">x</button><output id="near"></output></section></main>'
const tick = (selector: string) => () => (find(selector).textContent = String(performance.now()))
const scroll = (selector: string) => () => void find(selector).dispatchEvent(new Event('scroll'))
const pressed = (run: (button: HTMLElement) => void) => () =>
  find('#b').addEventListener('click', () => run(find('#b') as HTMLElement))

/** Returns the events of three quick clicks on the button of a page that `prepare` set up 5 s earlier. */
const eventsOf = async (prepare: () => void, html = PAGE, clicks = 3) => {
  const { names, wait } = startClickDetection(html)
  prepare()
  await wait(5310)
  for (let times = 0; times < clicks; times++) {
    find('#b').dispatchEvent(new Event('pointerdown', { bubbles: true, composed: true }))
    await wait(50)
    click('#b', { cancelable: true })
    await wait(100)
  }
  await wait(20_000)
  return [...new Set(names())].sort()
}

test.each<[string, () => void, string?]>([
  ['a clock in another part of the page', () => setInterval(tick('#far'), 1000)],
  ['a clock next to the button', () => setInterval(tick('#near'), 1000)],
  ['a fast ticker', () => setInterval(tick('#far'), 70)],
  ['a slow carousel', () => setInterval(() => find('header').classList.toggle('next'), 3500)],
  ['a carousel that scrolls', () => setInterval(scroll('header'), 900)],
  [
    'a carousel that scrolls in the frame of the click',
    () => {
      setInterval(scroll('header'), 900)
      pressed(scroll('header'))()
    },
  ],
  [
    'a chat',
    () => [600, 1300, 1700, 2500, 2900, 3800].forEach((ms) => setTimeout(() => find('header').append('Hi'), 5310 + ms)),
  ],
  ['a toggled aria-busy attribute', pressed((button) => button.toggleAttribute('aria-busy'))],
  [
    'a class that is added and removed',
    pressed((button) => {
      button.classList.add('wave')
      setTimeout(() => button.classList.remove('wave'), 300)
    }),
  ],
  [
    'a ripple effect',
    pressed((button) => {
      const wave = button.appendChild(document.createElement('span'))
      setTimeout(() => wave.remove(), 600)
    }),
  ],
  [
    'a loading bar',
    pressed(() => {
      const bar = document.body.appendChild(document.createElement('div'))
      setTimeout(() => bar.remove(), 400)
    }),
  ],
  [
    'a checkbox whose change the page prevents',
    () => find('#b').addEventListener('click', (event) => event.preventDefault()),
    '<form><input type="checkbox" id="b"></form>',
  ],
])('does not count as a response to a click: %s', async (...[, prepare, html]) =>
  expect(await eventsOf(prepare, html)).toEqual(['$dead_click', '$rageclick']),
)

test.each<[string, () => void, number?]>([
  ['a change elsewhere in the click handler, on a page with a clock', pressed(tick('#far'))],
  ['a late change near the button', pressed(() => setTimeout(tick('#near'), 300))],
  ['a late change elsewhere, for a single click', pressed(() => setTimeout(tick('#far'), 300)), 1],
  [
    'a menu that opens on pointerdown',
    () => find('#b').addEventListener('pointerdown', () => find('#near').toggleAttribute('hidden')),
  ],
  ['a stopwatch that the click starts', pressed(() => setInterval(tick('#far'), 1000)), 1],
  [
    'a stopwatch on a busy page, whose fourth tick is late',
    pressed(() => [1000, 2000, 3000, 4200, 5000].forEach((ms) => setTimeout(tick('#far'), ms))),
    1,
  ],
  [
    'a stopwatch on a page with a long task, which delays a tick',
    pressed(() => [1000, 2000, 3000, 4900, 5000].forEach((ms) => setTimeout(tick('#far'), ms))),
    1,
  ],
  ['a streamed reply', pressed(() => setTimeout(() => setInterval(() => find('#near').append('word '), 60), 700)), 1],
  ['a toggled pressed state', pressed((button) => button.toggleAttribute('aria-pressed'))],
  ['a toggled class', pressed((button) => button.classList.toggle('full'))],
  [
    'a short notification',
    pressed(() => {
      const notice = document.body.appendChild(document.createElement('p'))
      notice.textContent = 'Saved'
      setTimeout(() => notice.remove(), 400)
    }),
  ],
])('counts as a response to a click: %s', async (...[, prepare, clicks]) => {
  const withClock = () => {
    prepare()
    setInterval(() => find('header').setAttribute('data-time', String(performance.now())), 1000)
  }
  expect(await eventsOf(withClock, PAGE, clicks)).toEqual([])
})
