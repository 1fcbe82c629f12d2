import { computed, signal } from '@preact/signals'

/** Path of the console, with a trailing slash. The service writes it into `<base href>`. */
const BASE = new URL(document.baseURI).pathname

interface Place {
  /** Path below the console's, without leading and trailing slashes. */
  readonly path: string
  readonly search: string
}

const read = (): Place => ({
  path: location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length).replace(/\/+$/, '') : '',
  search: location.search,
})

const current = signal<Place>(read())
addEventListener('popstate', () => (current.value = read()))

/** Path of the shown page, such as `projects/1/people`. */
export const path = computed(() => current.value.path)

/** Query parameters of the shown page. */
export const search = computed(() => new URLSearchParams(current.value.search))

// Characters that stay unescaped, so that people can read filters such as `f=is,$pathname,/a`.
const READABLE: Readonly<Record<string, string>> = { '%24': '$', '%2F': '/', '%3A': ':', '%2C': ',' }

const toSearch = (parameters: URLSearchParams): string => {
  const text = parameters.toString().replace(/%(?:24|2F|3A|2C)/g, (code) => READABLE[code]!)
  return text ? `?${text}` : ''
}

/** Query parameters of a link. Pairs may repeat a name. */
export type LinkParameters = Readonly<Record<string, string>> | [name: string, value: string][]

/** Returns the link to a page of the console by its path and query parameters. */
export const linkTo = (to: string, parameters?: LinkParameters): string =>
  BASE + to + toSearch(new URLSearchParams(parameters))

/** Shows a page. `to` is what `linkTo` returns. With `replace` the Back button skips the current page. */
export const navigate = (to: string, { replace = false } = {}): void => {
  if (to === location.pathname + location.search) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  const before = current.value.path
  current.value = read()
  if (current.value.path !== before) scrollTo(0, 0)
}

/**
 * Changes query parameters of the shown page. `undefined` removes one, an array repeats it. Use `replace` while a person
 * types, so that the Back button does not undo single letters.
 */
export const setSearch = (
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
  options?: { readonly replace?: boolean },
): void => {
  const parameters = new URLSearchParams(current.value.search)
  for (const [name, value] of Object.entries(changes)) {
    parameters.delete(name)
    for (const each of value === undefined ? [] : [value].flat()) parameters.append(name, each)
  }
  navigate(location.pathname + toSearch(parameters), options)
}

/** Shows pages of the console without loading the document again when their links are clicked. Call once. */
export const followLinks = (): void => {
  document.addEventListener('click', (event) => {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement)
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !link.pathname.startsWith(BASE) || link.hash) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}
