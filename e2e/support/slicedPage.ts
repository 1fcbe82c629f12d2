// Runs in a page: takes full snapshots in small slices while the page changes at random, and compares each with that of plain rrweb
// at its end. e2e/scenarios/recordingSlices.spec.ts bundles it with the build's rrweb.
import type { eventWithTime } from '@rrweb/types'
// A second copy, as it was published.
// @ts-expect-error: only bundlers know queries
import { record as published } from '../../node_modules/@rrweb/record/dist/record.js?published'
import { typing } from '../../src/browser/typing'
import { createPolicy, type Policy } from '../../src/extensions/recorder/sanitize/policy'
import { createSanitizer } from '../../src/extensions/recorder/sanitize/sanitize'
import { hideNow } from '../../src/extensions/recorder/snapshotText'
import { nodeOf, rrwebOptions, startRrweb, takeSnapshot } from '../../src/extensions/recorder/startRrweb'
import { redactUrls } from '../../src/lib/redact'
import { SENSITIVE_NAME } from '../../src/lib/sensitive'
import type { SessionRecordingConfig } from '../../src/types'
import { randomFrom } from './editors'

type Tree = {
  id: number
  rootId?: number
  tagName?: string
  textContent?: string
  attributes?: Record<string, unknown>
  childNodes?: Tree[]
}

const OPTIONS: SessionRecordingConfig[] = [
  {},
  { masking: 'strict' },
  { maskAllInputs: false, maskTextSelector: '.x > b, .y ~ p, p:nth-child(3)', blockSelector: '.y + div, i.x' },
  { maskTextFn: (text) => text.toUpperCase(), maskTextClass: /^x$/, blockClass: /^y$/ },
  { recordSameOriginIframes: true, slimDOMOptions: 'all', inlineStylesheet: false },
]

/** A random page, and random changes of it. `isSimple`: only changes that rrweb's observers record without mistakes of their own. */
const createChanges = (random: () => number, isSimple: boolean) => {
  const pick = <T>(all: ArrayLike<T>): T => all[Math.floor(random() * all.length)]!
  const roots: (ShadowRoot | Document)[] = [document]
  const detached: Node[] = []
  const any = () => {
    const root = pick(roots.filter((each) => each.isConnected))
    const all = (root === document ? document.body : root).querySelectorAll(':not(meta, link, script)')
    return all.length ? (pick(all) as HTMLElement) : document.body
  }
  const of = <E extends Element>(selector: string): E => {
    const found = document.querySelectorAll<E>(selector)
    return found.length
      ? pick(found)
      : (document.body.appendChild(document.createElement(selector.split(/[^\w-]/)[0]!)) as Element as E)
  }
  const leave = (node: Element) => node === document.body || node.remove()
  const word = () => pick(['one', 'two words', ' ', 'secret hello', '123456789', 'typed by me', 'ä€😀'])
  const HTML = [
    '<p class="x">a<b>b</b>c</p>',
    '<div class="y"><p>1</p><p>2</p><p>3</p></div>',
    '<div class="ph-mask">m<b>n</b></div><div class="ph-no-capture"><p>blocked</p></div>',
    '<input value="v"><input type="checkbox" checked><input type="radio" name="r"><input type="radio" name="r" checked>',
    '<select><option>1</option><option selected>2</option></select><textarea>text</textarea>',
    '<style>.x { color: red } .y { color: blue; background: url(a.png) }</style>',
    '<details open><summary>s</summary>d</details><dialog>dialog</dialog>',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/><text>t</text></svg>',
    '<my-card><i class="x">slot</i></my-card><other-card></other-card>',
    '<!-- comment --><script type="text/plain">no</script><template><p>t</p></template>',
    '<div class="box" style="overflow:auto;height:30px"><div style="height:300px">tall</div></div>',
    '<iframe srcdoc="<p>frame</p>"></iframe><link rel="preload" as="script" href="/x.js"><meta name="author" content="x">',
    '<div contenteditable="true">edit</div><span title="t">s<i>t</i>u</span>',
  ]
  const grow = (target: Element | ShadowRoot) => {
    const part = document.createElement('div')
    part.innerHTML = pick(HTML)
    const nodes = [...part.childNodes]
    const before = random() < 0.5 ? null : pick([null, ...target.childNodes])
    for (const node of nodes) target.insertBefore(node, before)
    if (random() < 0.3) target.insertBefore(document.createTextNode(word()), before)
  }
  const SIMPLE: (() => unknown)[] = [
    () => grow(any()),
    () => grow(any()),
    () => grow(document.body),
    () => grow((pick(roots.slice(1)) as ShadowRoot | undefined) ?? document.body),
    () => grow(document.head),
    () => leave(any()),
    () => leave(any()),
    () => {
      const texts = [...document.body.childNodes, ...any().childNodes].filter((each) => each.nodeType === 3) as Text[]
      if (texts.length) pick(texts).data = word()
    },
    () => any().setAttribute('title', word()),
  ]
  const CHANGES: (() => unknown)[] = [
    ...SIMPLE,
    () => {
      const node = any()
      leave(node)
      if (node !== document.body) detached.push(node)
    },
    () => {
      const node = pick(detached) as HTMLElement | undefined
      if (!node) return
      if (random() < 0.5) node.append(word())
      if (random() < 0.3) node.firstChild?.remove()
      if (random() < 0.3 && node.firstChild) document.body.append(node.firstChild)
      const target = any()
      if (!node.contains(target)) target.append(node)
    },
    () => {
      const [node, target] = [any(), any()]
      if (node !== document.body && !node.contains(document.body) && !node.contains(target))
        target.insertBefore(node, pick([null, ...target.childNodes]))
    },
    () => (any().className = pick(['x', 'y', 'x y', 'ph-mask', 'ph-no-capture', 'rr-mask', ''])),
    () => any().setAttribute(pick(['title', 'id', 'hidden', 'alt', 'contenteditable', 'data-state', 'href']), word()),
    () => any().removeAttribute(pick(['class', 'title', 'id', 'style', 'contenteditable'])),
    () => any().setAttribute('style', pick(['color: red', 'width: 10px; color: blue', ''])),
    () => of('input').setAttribute('type', pick(['text', 'password', 'checkbox', 'hidden', 'email', 'submit'])),
    () => (any().textContent = word()),
    () => any().normalize(),
    () => {
      const host = of<HTMLElement>('div')
      if (host.shadowRoot) return
      const root = host.attachShadow({ mode: 'open' })
      roots.push(root)
      grow(root)
      if (random() < 0.5) root.adoptedStyleSheets = [new CSSStyleSheet()]
    },
    () => of<HTMLStyleElement>('style').sheet?.insertRule(`.z${Math.floor(random() * 9)} { color: green }`),
    () => {
      const { sheet } = of<HTMLStyleElement>('style')
      if (sheet?.cssRules.length) sheet.deleteRule(0)
    },
    () =>
      (of<HTMLStyleElement>('style').sheet?.cssRules[0] as CSSStyleRule | undefined)?.style.setProperty(
        'color',
        pick(['lime', 'navy']),
      ),
    () => (of<HTMLStyleElement>('style').textContent = pick(['.x { top: 1px }', ''])),
    () => of<HTMLStyleElement>('style').append('.x { left: 2px }'),
    () => (of<HTMLInputElement>('input').value = word()),
    () => (of<HTMLInputElement>('input').checked = random() < 0.5),
    () => (of<HTMLTextAreaElement>('textarea').value = word()),
    () => (of<HTMLTextAreaElement>('textarea').textContent = word()),
    () => (of<HTMLSelectElement>('select').selectedIndex = pick([0, 1, -1])),
    () => {
      const field = of<HTMLInputElement>('input')
      field.value = 'typed by me'
      field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    },
    () => {
      const editor = of<HTMLElement>('[contenteditable]')
      editor.textContent = 'secret hello'
      editor.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    },
    () => {
      const dialog = of<HTMLDialogElement>('dialog')
      if (dialog.open) dialog.close()
      else if (random() < 0.5) dialog.show()
      else dialog.showModal()
    },
    () => (of<HTMLElement>('.box').scrollTop = Math.floor(random() * 200)),
    () => scrollTo(0, Math.floor(random() * 200)),
    () => document.querySelector('iframe')?.remove(),
    () => document.querySelector('iframe')?.contentDocument?.body?.append(word()),
    () => document.querySelector('iframe')?.setAttribute('srcdoc', `<p>${word()}</p>`),
    () => (document.adoptedStyleSheets = pick([[], [new CSSStyleSheet()]])),
    () =>
      customElements.get('my-card') ||
      (random() < 0.2 && customElements.define('my-card', class extends HTMLElement {})),
  ]
  return {
    build: () => {
      document.body.replaceChildren()
      for (let count = 0; count < 40; count++) grow(count % 3 ? any() : document.body)
    },
    /** Changes the page. An impossible change, such as of a removed element, changes nothing. */
    change: () => {
      try {
        pick(isSimple ? SIMPLE : CHANGES)()
      } catch (error) {
        if (!(error instanceof DOMException)) throw error
      }
    },
  }
}

/** Returns a tree without ids, whose order differs. */
const withoutIds = ({ id: _, rootId: __, childNodes, ...node }: Tree): object => ({
  ...node,
  ...(childNodes && { childNodes: childNodes.map(withoutIds) }),
})

const TYPED = /typed by me|secret hello|two words|123456789/gi

/** Returns the first difference of two trees, as their JSON. The first one may hide more, which was typed and is no longer there. */
const difference = (a: object, b: object, path = ''): string => {
  const [one, two] = [a, b].map((each) => JSON.stringify({ ...each, childNodes: undefined }))
  if (one !== two && one !== two!.replace(TYPED, '*****')) return `${path}: ${one} is not ${two}`
  const [ours, theirs] = [a, b].map((each) => (each as Tree).childNodes ?? [])
  for (let index = 0; index < Math.max(ours!.length, theirs!.length); index++) {
    const [first, second] = [ours![index], theirs![index]]
    const place = `${path} > ${first?.tagName ?? second?.tagName ?? '#'} ${index}`
    const found =
      first && second
        ? difference(first, second, place)
        : `${place}: ${JSON.stringify(first)} is not ${JSON.stringify(second)}`
    if (found) return found
  }
  return ''
}

type Mutation = {
  texts: { id: number; value: string }[]
  removes: { parentId: number; id: number }[]
  adds: { parentId: number; nextId: number | null; node: Tree }[]
}

/** Applies recorded changes to a snapshot, as a player does. */
const apply = (root: Tree, { texts, removes, adds }: Mutation) => {
  const byId = new Map(flat(root).map((each) => [each.id, each]))
  for (const { parentId, id } of removes) {
    const parent = byId.get(parentId)
    if (parent) parent.childNodes = parent.childNodes!.filter((each) => each.id !== id)
  }
  let waiting = adds
  for (let before = -1; waiting.length && waiting.length !== before;) {
    before = waiting.length
    waiting = waiting.filter(({ parentId, nextId, node }) => {
      const list = byId.get(parentId)?.childNodes
      const index = nextId === null ? (list?.length ?? 0) : (list?.findIndex(({ id }) => id === nextId) ?? -1)
      if (!list || index < 0) return true
      // A node that is there is moved.
      const moved = byId.get(node.id) ?? { ...node, childNodes: [] as Tree[] }
      for (const each of byId.values())
        if (each.childNodes?.includes(moved)) each.childNodes = each.childNodes.filter((child) => child !== moved)
      byId.set(node.id, moved)
      const target = byId.get(parentId)!.childNodes!
      const next = nextId === null ? target.length : target.findIndex(({ id }) => id === nextId)
      target.splice(next, 0, moved)
      return false
    })
  }
  for (const { id, value } of texts) if (byId.has(id)) byId.get(id)!.textContent = value
}

/** The ids of the nodes in each element, without shadow roots, whose place among the children differs. */
const childIds = (root: Tree) =>
  new Map(
    flat(root)
      .filter(({ attributes }) => !attributes?.rr_width)
      .map((each) => [
        each.id,
        (each.childNodes ?? [])
          .filter((child) => !(child as { isShadow?: true }).isShadow)
          .map(({ id }) => id)
          .join(),
      ]),
  )

const flat = (tree: Tree): Tree[] => [tree, ...(tree.childNodes ?? []).flatMap(flat)]
const nextFrame = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)))

/** Takes `count` snapshots of one recording. Returns what is wrong with them, and the number of slices. */
export const compare = async (seed: number, count: number): Promise<{ problems: string[]; slices: number }> => {
  const random = randomFrom(seed)
  for (let warm = 0; warm < 5; warm++) random()
  const isSimple = seed % 3 === 0
  const { build, change } = createChanges(random, isSimple)
  build()
  const options = OPTIONS[seed % OPTIONS.length]!
  const policy = createPolicy(
    options,
    {},
    { outgoingText: redactUrls, sensitiveName: SENSITIVE_NAME, typing },
  ) as Policy
  const stopTyping = typing.follow()
  const sanitizer = createSanitizer(policy, nodeOf, redactUrls)
  const problems: string[] = []
  let slices = 0
  let isSmall = true
  let found: (() => void) | undefined

  const clock = performance.now.bind(performance)
  let time = 0
  performance.now = () => (isSmall ? (time += 1 + random() * 9) : clock())
  const Channel = self.MessageChannel
  self.MessageChannel = class {
    port1 = { onmessage: () => {}, close: () => {} }
    port2 = {
      postMessage: async () => {
        slices += 1
        const isBusy = slices % 40 < 20
        if (!isSimple || slices % 4 === 0)
          for (let changes = Math.floor(random() * (isBusy ? 6 : 2)); changes > 0; changes--) change()
        await nextFrame()
        this.port1.onmessage()
      },
    }
  } as never

  /** The last snapshot with the changes that were recorded since. */
  let played: Tree | undefined
  const compareNow = (event: eventWithTime) => {
    isSmall = false
    const ours = (hideNow(sanitizer.sanitize(event)!).data as { node: Tree }).node
    let theirs: Tree | undefined
    const stop = published({
      ...(rrwebOptions(options, policy) as object),
      errorHandler: () => true,
      emit: (each: eventWithTime) => {
        if ((each.type as number) !== 2) return
        const own = createSanitizer(policy, (id) => published.mirror.getNode(id), redactUrls)
        theirs = (own.sanitize(each)!.data as { node: Tree }).node
      },
    })
    stop!()
    published.mirror.reset()
    if (played && isSimple) {
      const [before, now] = [childIds(played), childIds(ours)]
      for (const [id, list] of now)
        if (before.has(id) && before.get(id) !== list) {
          problems.push(`seed ${seed}: the changes of ${id} lead to ${before.get(id)}, not to ${list}`)
          break
        }
    }
    played = structuredClone(ours)
    const wrong = difference(withoutIds(ours), withoutIds(theirs!))
    if (wrong) problems.push(`seed ${seed}${wrong}`)
    const all = flat(ours)
    if (new Set(all.map(({ id }) => id)).size !== all.length) problems.push(`seed ${seed}: an id is there twice`)
    for (const { id, tagName } of all)
      if (!nodeOf(id) || (tagName && tagName !== 'div' && nodeOf(id)!.nodeName.toLowerCase() !== tagName))
        problems.push(`seed ${seed}: the mirror has no ${tagName} ${id}`)
    isSmall = true
    found!()
  }
  const next = () => new Promise<void>((done) => (found = done))
  let taken = next()
  const stop = startRrweb({
    options,
    policy,
    sanitize: sanitizer.sanitizeOne,
    emit: (event) => {
      if ((event.type as number) === 2) compareNow(event)
      const { source, isAttachIframe } = event.data as { source?: number; isAttachIframe?: true }
      if ((event.type as number) !== 3 || source !== 0 || isAttachIframe || !played) return
      const sanitized = sanitizer.sanitize(event)?.data as Mutation | undefined
      if (sanitized) apply(played, sanitized)
    },
    onError: () => {},
    onFailure: (error) => {
      problems.push(`seed ${seed}: ${String(error)} ${(error as Error).stack}`)
      found!()
    },
  })
  await taken
  // What one snapshot has left out with `slimDOMOptions`, later ones leave out too, unlike that of plain rrweb.
  while (--count && !problems.length && !options.slimDOMOptions) {
    for (let changes = 10; changes > 0; changes--) change()
    await nextFrame()
    taken = next()
    takeSnapshot()
    await taken
  }
  stop!()
  stopTyping()
  self.MessageChannel = Channel
  performance.now = clock
  return { problems, slices }
}
