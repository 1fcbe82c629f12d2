import { HOSTILE_RECORDINGS } from '../support/hostileRecordings'
import { cut, recording, status, test, text, types, why } from '../support/recording'
import { expect, QUIET } from '../support/world'

test.use({ hostName: 'shop.example.localhost' })

interface Added {
  parentId: number
  node: Tree
}
interface Tree {
  id: number
  childNodes?: Tree[]
}

const idsOf = ({ id, childNodes = [] }: Tree): number[] => [id, ...childNodes.flatMap(idsOf)]

/** Returns the changes of a recording that name a node that is not in it. */
const unknownNodes = (events: readonly { type: number; data: Record<string, unknown> }[]): string[] => {
  let known = new Set<number>()
  const unknown: string[] = []
  for (const { type, data } of events) {
    if (type === 2) known = new Set(idsOf(data.node as Tree))
    if (type !== 3 || data.source !== 0) continue
    for (const { node } of data.adds as Added[]) for (const id of idsOf(node)) known.add(id)
    const named = [
      ...(data.adds as Added[]).map(({ parentId }) => parentId),
      ...[...(data.texts as Tree[]), ...(data.attributes as Tree[])].map(({ id }) => id),
    ]
    for (const id of named) if (!known.has(id)) unknown.push(`${id} in ${JSON.stringify(data).slice(0, 200)}`)
  }
  return unknown
}

for (const [name, { options, before = '', html = '', act, shows, isLeftOut, steps = [] }] of Object.entries(
  HOSTILE_RECORDINGS,
))
  test(`a page that ${name}: it works on, and its recording is right and masked`, async ({
    page,
    site,
    put,
    network,
    record,
    chunks,
  }) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
    await record(true)
    site.page('/frame', '<p>in a frame</p><p class="ph-mask">a masked secret</p>')
    const masked = '<p class="ph-mask">a masked secret</p>'
    put('script', '/', `<script>${before}</script>${masked}${html}`, {
      ...QUIET,
      api_host: network.url,
      session_recording: { ...options },
    })
    await page.goto(site.url)
    await recording(page)
    await expect.poll(() => cut(page).then(() => types(chunks()))).toContain(2)
    await page.evaluate((code) => {
      // In a script of the page, whose errors are those of a page.
      const script = document.createElement('script')
      script.textContent = `{ ${code} } globalThis.turns = 0; setInterval(() => turns++, 100)`
      document.body.append(script)
    }, act)
    const told = () =>
      [...text(chunks()).matchAll(/"recording degraded","payload":\{"step":"(\w+)"/g)].map(([, step]) => step)
    for (const each of shows) await expect.poll(() => cut(page).then(() => text(chunks()))).toContain(each)
    for (const step of steps) await expect.poll(() => cut(page).then(told)).toContain(step)
    const leftOut = () => chunks().some(({ properties }) => Number(properties.$snapshot_dropped) > 0)
    if (isLeftOut) await expect.poll(() => cut(page).then(leftOut)).toBe(true)
    const turns = await page.evaluate<number>('turns')
    await expect.poll(() => page.evaluate<number>('turns')).toBeGreaterThan(turns + 10)
    await cut(page)
    expect(errors).toEqual([])
    expect(await status(page)).toBe('active')
    expect(text(chunks())).not.toMatch(/masked secret|typed secret/)
    const events = chunks()
      .filter(({ uuid }, index, all) => all.findIndex((each) => each.uuid === uuid) === index)
      .sort((a, b) => Number(a.properties.$snapshot_sequence) - Number(b.properties.$snapshot_sequence))
      .flatMap(({ properties }) => properties.$snapshot_data)
    expect(unknownNodes(events)).toEqual([])
  })

for (const method of ['get', 'set', 'has'])
  test(`a page whose WeakMap.prototype.${method} throws: it works on, and events say why its recording has ended`, async ({
    page,
    site,
    put,
    network,
    record,
  }) => {
    await record(true)
    put('script', '/', '<p>x</p>', { ...QUIET, api_host: network.url })
    await page.goto(site.url)
    await recording(page)
    await page.evaluate((name) => {
      const original = WeakMap.prototype[name as 'get']
      WeakMap.prototype[name as 'get'] = function (this: WeakMap<object, unknown>, key: object, ...rest: []) {
        if (key instanceof Node) throw new Error('no nodes')
        return original.call(this, key, ...rest)
      }
      document.body.append('changed')
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    }, method)
    await expect.poll(() => why(page), { timeout: 15_000 }).toBe('rrweb')
  })
