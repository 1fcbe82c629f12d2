import { createReader } from '../../../src/extensions/recorderFrames/reader'

const FIRST = 1e9
const IFRAME = 7

const createCounter = () => {
  let latest = FIRST
  return () => ++latest
}
const element = (id: number, tagName: string, attributes: object, childNodes: unknown[] = []) => ({
  type: 2,
  id,
  tagName,
  attributes,
  childNodes,
})
const text = (id: number, textContent: string) => ({ type: 3, id, textContent })
const snapshot = (...children: unknown[]) => ({
  type: 2,
  data: { node: { type: 0, id: 1, childNodes: [element(2, 'html', {}, children)] } },
})
const mutation = (data: object) => ({
  type: 3,
  data: { source: 0, adds: [], removes: [], texts: [], attributes: [], ...data },
})

/** Returns all numbers of these members in an event. */
const idsIn = (value: unknown): unknown[] =>
  value && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, each]) =>
        /^(id|rootId|parentId|nextId|previousId|styleId)$/.test(name) ? [each] : idsIn(each),
      )
    : []

test('the frame reader replaces the ids of the frame and attaches its document to the iframe element', () => {
  const reader = createReader(createCounter())
  const { data } = reader.read(snapshot(text(3, 'x')), IFRAME) as any
  expect(data).toMatchObject({ source: 0, isAttachIframe: true, adds: [{ parentId: IFRAME, nextId: null }] })
  expect(idsIn(data.adds[0].node)).toEqual([FIRST + 1, FIRST + 2, FIRST + 3])
  const change = reader.read(mutation({ texts: [{ id: 3, value: 'y' }] }), IFRAME) as any
  expect(change.data.texts).toEqual([{ id: FIRST + 3, value: 'y' }])
})

test('the frame reader reads nothing before the document of the frame', () => {
  const reader = createReader(createCounter())
  expect(reader.read(mutation({ texts: [{ id: 3, value: 'y' }] }), IFRAME)).toBeUndefined()
  reader.read(snapshot(), IFRAME)
  reader.reset()
  expect(reader.read(mutation({ texts: [{ id: 3, value: 'y' }] }), IFRAME)).toBeUndefined()
})

test('the replica of a frame follows its changes, so selectors of the page match in it', () => {
  const reader = createReader(createCounter())
  reader.read(snapshot(element(3, 'main', { class: 'a' }, [element(4, 'p', { 'data-x': '1', onclick: 'x' })])), IFRAME)
  const p = reader.nodeOf(FIRST + 4) as Element
  expect(p.matches('.a > p[data-x="1"]:not([onclick])')).toBe(true)
  reader.read(mutation({ attributes: [{ id: 3, attributes: { class: 'b' } }] }), IFRAME)
  expect(p.matches('.b > p')).toBe(true)
  // Moved: removed and added in one event.
  const moved = { parentId: 2, nextId: null, node: element(4, 'p', {}) }
  reader.read(mutation({ removes: [{ parentId: 3, id: 4 }], adds: [moved] }), IFRAME)
  expect((reader.nodeOf(FIRST + 4) as Element).matches('html > p')).toBe(true)
  reader.read(mutation({ removes: [{ parentId: 2, id: 4 }] }), IFRAME)
  expect(reader.nodeOf(FIRST + 4)).toBeNull()
})

test('the frame reader attaches a nested frame to its iframe element in the frame', () => {
  const reader = createReader(createCounter())
  reader.read(snapshot(element(3, 'div', { class: 'a' }, [element(4, 'iframe', {})])), IFRAME)
  const inner = { type: 0, id: 900, childNodes: [element(901, 'b', {})] }
  const adds = [{ parentId: 4, nextId: null, node: inner }]
  const { data } = reader.read(mutation({ adds, isAttachIframe: true }), IFRAME) as any
  expect(data).toMatchObject({ isAttachIframe: true, adds: [{ parentId: FIRST + 4 }] })
  expect((reader.nodeOf(FIRST + 6) as Element).matches('.a b')).toBe(true)
})

/** A generator of random numbers from 0 to 1. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

test("the frame reader returns only the frame's own ids and values of the expected types for malformed events", () => {
  const valid = [
    snapshot(
      element(3, 'p', { class: 'a', rr_width: 3, checked: true }, [text(4, 'x')]),
      element(5, 'script', { src: 'x' }),
    ),
    mutation({
      adds: [{ parentId: 3, nextId: null, previousId: 4, node: text(8, 'y') }],
      removes: [{ parentId: 3, id: 4 }],
      texts: [{ id: 4, value: 'z' }],
      attributes: [{ id: 3, attributes: { style: { color: ['red', 'important'] }, title: null } }],
    }),
    { type: 3, data: { source: 1, positions: [{ x: 1, y: 2, id: 3, timeOffset: -5 }] } },
    { type: 3, data: { source: 5, id: 3, text: 'x', isChecked: false } },
    {
      type: 3,
      data: { source: 8, id: 3, styleId: 2, adds: [{ rule: 'a{}', index: [1, 2] }], removes: [{ index: 0 }] },
    },
    { type: 3, data: { source: 13, id: 3, index: [0], set: { property: 'a', value: 'b', priority: '' } } },
    {
      type: 3,
      data: { source: 15, id: 3, styleIds: [1], styles: [{ styleId: 1, rules: [{ rule: 'a{}', index: 0 }] }] },
    },
  ]
  const WRONG: unknown[] = [
    null,
    -3,
    1.5,
    1e300,
    '5',
    true,
    [],
    {},
    { evil: { evil: 1 } },
    [{ evil: 1 }],
    IFRAME,
    '__proto__',
  ]
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomFrom(seed)
    const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!
    /** Replaces some values by others. */
    const spoil = (value: unknown): unknown =>
      random() < 0.05
        ? pick(WRONG)
        : Array.isArray(value)
          ? value.map(spoil)
          : value && typeof value === 'object'
            ? Object.fromEntries(
                Object.entries(value).map(([name, each]) => [random() < 0.02 ? 'evil' : name, spoil(each)]),
              )
            : value
    const reader = createReader(createCounter())
    for (let count = 0; count < 12; count++) {
      const event = reader.read(count ? spoil(pick(valid)) : valid[0], IFRAME)
      if (!event) continue
      const attached = event.data as { isAttachIframe?: boolean; adds?: { parentId: number; node: unknown }[] }
      const ids = attached.isAttachIframe && count === 0 ? idsIn(attached.adds![0]!.node) : idsIn(event.data)
      const isOwn = (id: unknown) => id === null || id === -1 || (id as number) > FIRST || id === IFRAME
      expect([seed, ids.filter((id) => !isOwn(id))]).toEqual([seed, []])
      expect(JSON.stringify(event)).not.toMatch(/"evil":1|"tagName":"script"/)
    }
  }
})
