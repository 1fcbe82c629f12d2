// Behavior of pages: theme, menu, copy buttons, the list of headings, and the search.

const { search: searchFile, root } = document.currentScript.dataset
const html = document.documentElement

// ── Theme ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const THEMES = ['system', 'light', 'dark']
const KEY = 'trailmark-docs-theme'

const readTheme = () => {
  try {
    const theme = localStorage.getItem(KEY)
    return THEMES.includes(theme) ? theme : 'system'
  } catch {
    return 'system' // storage is blocked
  }
}

// Set before the page is drawn, so that the page does not flash.
html.dataset.theme = readTheme()

const startTheme = () => {
  const button = document.querySelector('.theme')
  const show = () => button.setAttribute('aria-label', `Theme: ${html.dataset.theme}`)
  show()
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(html.dataset.theme) + 1) % THEMES.length]
    html.dataset.theme = next
    show()
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // Without storage, the theme lasts as long as the page.
    }
  })
}

// ── Page ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const startMenu = () => {
  const button = document.querySelector('.menu')
  const toggle = (isOpen) => {
    document.body.classList.toggle('menu-open', isOpen)
    button.setAttribute('aria-expanded', String(isOpen))
  }
  button.addEventListener('click', () => toggle(!document.body.classList.contains('menu-open')))
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') toggle(false)
  })
  const list = document.querySelector('.pages')
  const top = list.querySelector('[aria-current]')?.offsetTop ?? 0
  if (top > list.clientHeight - 100) list.scrollTo({ top: top - list.clientHeight / 2 })
}

const COPIED_MS = 1_500

const addCopyButtons = () => {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Not allowed'),
      )
      setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
    })
    block.append(button)
  }
}

/** Makes wide content scrollable with the keyboard. */
const focusWide = () => {
  for (const box of document.querySelectorAll('.code pre, .scroll')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  }
}

/** Below the bar at the top. */
const TOP = 120

/** Marks the heading that is read in the list of headings. */
const followHeadings = () => {
  const links = new Map([...document.querySelectorAll('.toc a')].map((link) => [link.hash.slice(1), link]))
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean)
  if (!headings.length) return
  /** The last sections may be too short to reach the top: at the end of the page, the section of the address is read. */
  const findCurrent = () => {
    const isAtEnd = innerHeight + scrollY >= html.scrollHeight - 2
    const chosen = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (isAtEnd && headings.includes(chosen)) return chosen
    return headings.findLast((heading) => heading.getBoundingClientRect().top < TOP) ?? headings[0]
  }
  const mark = () => {
    const current = findCurrent()
    for (const [id, link] of links) {
      if (id === current.id) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  for (const type of ['scroll', 'hashchange']) addEventListener(type, mark, { passive: true })
  mark()
}

// ── Search ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const policy = globalThis.trustedTypes?.createPolicy('trailmark-docs', { createScriptURL: (url) => url })
let loading

/** Loads the search once. Rejects if it cannot be loaded; then the next call tries again. */
const loadSearch = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const url = new URL(searchFile, location.href).href
    script.src = policy ? policy.createScriptURL(url) : url
    script.addEventListener('load', () => resolve(globalThis.searchTrailmarkDocs))
    script.addEventListener('error', () => {
      loading = undefined
      reject(new Error('The search could not be loaded.'))
    })
    document.head.append(script)
  })
  return loading
}

const showResult = ({ url, title, within }, at) => {
  const link = document.createElement('a')
  link.id = `result-${at}`
  link.role = 'option'
  link.tabIndex = -1
  link.href = new URL(url, new URL(root, location.href)).href
  const where = document.createElement('span')
  where.textContent = within
  link.append(title, where)
  return link
}

const startSearch = () => {
  const dialog = document.querySelector('dialog.search')
  const input = dialog.querySelector('input')
  const list = dialog.querySelector('#results')
  const status = dialog.querySelector('.status')

  const select = (item) => {
    for (const each of list.children) each.ariaSelected = String(each === item)
    if (item) input.setAttribute('aria-activedescendant', item.id)
    else input.removeAttribute('aria-activedescendant')
    item?.scrollIntoView({ block: 'nearest' })
  }
  const show = (results, text) => {
    list.replaceChildren(...results.map(showResult))
    input.setAttribute('aria-expanded', String(results.length > 0))
    status.textContent = text
    select(list.firstElementChild)
  }
  const update = async () => {
    const query = input.value.trim()
    try {
      const search = await loadSearch()
      // The visitor may have continued to type.
      if (query !== input.value.trim()) return
      const results = query ? search(query) : []
      show(results, !query ? 'Type to search all pages.' : results.length ? '' : `Nothing found for “${query}”.`)
    } catch (error) {
      show([], error.message)
    }
  }
  const open = () => {
    if (dialog.open) return
    dialog.showModal()
    input.select()
    void update()
  }
  const move = (step) => {
    const items = [...list.children]
    const at = items.findIndex((each) => each.ariaSelected === 'true')
    if (items.length) select(items[(at + step + items.length) % items.length])
  }
  const KEYS = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    // Otherwise, the browser only empties the field.
    Escape: () => dialog.close(),
    Enter: () => list.querySelector('[aria-selected=true]')?.click(),
  }

  document.querySelector('.find').addEventListener('click', open)
  input.addEventListener('input', update)
  input.addEventListener('keydown', (event) => {
    if (!Object.hasOwn(KEYS, event.key) || event.isComposing) return
    event.preventDefault()
    KEYS[event.key]()
  })
  dialog.addEventListener('click', ({ target }) => {
    // A link to a heading of this page does not leave it.
    if (target === dialog || target.closest('a')) dialog.close()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
    const isShortcut =
      (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) ||
      (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))
    if (!isShortcut) return
    event.preventDefault()
    open()
  })
  // The search also works if the network is lost later.
  if (!navigator.connection?.saveData)
    addEventListener('load', () => setTimeout(() => loadSearch().catch(() => {}), 1_000), { once: true })
}

document.addEventListener('DOMContentLoaded', () => {
  startTheme()
  startMenu()
  addCopyButtons()
  focusWide()
  addEventListener('resize', focusWide)
  followHeadings()
  startSearch()
})
