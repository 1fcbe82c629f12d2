import { click, find, judgeClicksOn } from '../../support/startClicks'

const PAGE =
  '<header><output id="far"></output></header><main><section><button id="b" class="wide">x</button><output id="near"></output></section></main>'
const tick = (selector: string) => () => (find(selector).textContent = String(performance.now()))
const scroll = (selector: string) => () => void find(selector).dispatchEvent(new Event('scroll'))
const pressed = (run: (button: HTMLElement) => void) => () =>
  find('#b').addEventListener('click', () => run(find('#b') as HTMLElement))

/** The events of three quick clicks on the button of a page that `prepare` sets up, 5 s before. */
const eventsOf = async (prepare: () => void, html = PAGE, clicks = 3) => {
  const { names, wait } = judgeClicksOn(html)
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
  ['a clock elsewhere', () => setInterval(tick('#far'), 1000)],
  ['a clock beside the button', () => setInterval(tick('#near'), 1000)],
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
  ['an aria-busy flip', pressed((button) => button.toggleAttribute('aria-busy'))],
  [
    'a class that comes and goes',
    pressed((button) => {
      button.classList.add('wave')
      setTimeout(() => button.classList.remove('wave'), 300)
    }),
  ],
  [
    'a ripple',
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
    'a checkbox that the page keeps as it is',
    () => find('#b').addEventListener('click', (event) => event.preventDefault()),
    '<form><input type="checkbox" id="b"></form>',
  ],
])('is no response: %s', async (...[, prepare, html]) =>
  expect(await eventsOf(prepare, html)).toEqual(['$dead_click', '$rageclick']),
)

test.each<[string, () => void, number?]>([
  ['a change elsewhere by the click itself, beside a clock', pressed(tick('#far'))],
  ['a late change near the button', pressed(() => setTimeout(tick('#near'), 300))],
  ['a late change elsewhere, for a single click', pressed(() => setTimeout(tick('#far'), 300)), 1],
  [
    'a menu that opens when the button goes down',
    () => find('#b').addEventListener('pointerdown', () => find('#near').toggleAttribute('hidden')),
  ],
  ['a stopwatch that the click starts', pressed(() => setInterval(tick('#far'), 1000)), 1],
  ['a reply in parts', pressed(() => setTimeout(() => setInterval(() => find('#near').append('word '), 60), 700)), 1],
  ['a pressed state, on and off', pressed((button) => button.toggleAttribute('aria-pressed'))],
  ['a class, on and off', pressed((button) => button.classList.toggle('full'))],
  [
    'a brief notice',
    pressed(() => {
      const notice = document.body.appendChild(document.createElement('p'))
      notice.textContent = 'Saved'
      setTimeout(() => notice.remove(), 400)
    }),
  ],
])('is a response: %s', async (...[, prepare, clicks]) => {
  const withClock = () => {
    prepare()
    setInterval(() => find('header').setAttribute('data-time', String(performance.now())), 1000)
  }
  expect(await eventsOf(withClock, PAGE, clicks)).toEqual([])
})
