/** A call of `init`, with the arguments that the code shows literally. */
export interface Start {
  token?: string
  apiHost?: string
  /** Place of the call. */
  where: string
}

/** What a page says about the SDK. */
export interface Page {
  url: URL
  html: string
  headers: Headers
  /** Scripts of the page that were read, by URL. Inline scripts have the page's URL and a number. */
  scripts: { url: string; text: string; isInline: boolean; nonce?: string }[]
  /** URLs of the SDK's script elements. */
  tags: { url: URL; token?: string; apiHost?: string; nonce?: string }[]
  starts: Start[]
}

const MAX_SCRIPTS = 40
const MAX_BYTES = 5_000_000
const TIMEOUT_MS = 15_000

/** Requests a URL. Throws with a sentence. */
export const request = async (url: URL | string, init: RequestInit = {}): Promise<Response> => {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    const { cause, message } = error as Error
    throw new Error(`${String(url)} does not respond: ${cause instanceof Error ? cause.message : message}`, {
      cause: error,
    })
  }
}

const decoded = (value: string) =>
  value.replace(
    /&(amp|quot|lt|gt|#39);/g,
    (_, name: string) => ({ amp: '&', quot: '"', lt: '<', gt: '>' })[name] ?? "'",
  )

/** Returns the attributes of a tag, by lower-case names. */
const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)].map(
      ([, name, a, b, c]) => [name!.toLowerCase(), decoded(a ?? b ?? c ?? '')] as const,
    ),
  )

const SDK_FILE = /\/(?:static\/(?:\d[\w.-]*\/)?(?:analytics(?:\.core)?|array)|(?:\d[\w.-]*\/)?a)\.js$/
const IS_SDK = /\[trailmark\]/
const STRING = `["'\`]([^"'\`\\s]+)["'\`]`
const INIT = new RegExp(`\\.init\\(\\s*${STRING}([^]{0,600})`, 'g')

/** Returns the calls of `init` in a script with the SDK's options. */
const startsOf = (text: string, where: string): Start[] =>
  [...text.matchAll(INIT)].flatMap(([, token, rest = '']) => {
    const [, apiHost] = new RegExp(`api_host["']?\\s*:\\s*${STRING}`).exec(rest) ?? []
    return (apiHost ?? /^phc_/.test(token!)) ? [{ token, apiHost, where }] : []
  })

const readScripts = async (html: string, base: URL) => {
  const scripts: Page['scripts'] = []
  const tags: Page['tags'] = []
  const external: URL[] = []
  for (const [, open = '', text = ''] of html.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/gi)) {
    const { src, nonce, type = '', 'data-token': token, 'data-api-host': apiHost } = attributesOf(open)
    if (src === undefined && !/json|template/.test(type))
      scripts.push({ url: `inline script ${scripts.length + 1}`, text, isInline: true, nonce })
    if (!src || !URL.canParse(src, base.href)) continue
    const url = new URL(src, base)
    if (SDK_FILE.test(url.pathname) && (token ?? !/\/a\.js$/.test(url.pathname)))
      tags.push({ url, token, apiHost, nonce })
    else if (SDK_FILE.test(url.pathname)) tags.push({ url, nonce })
    else if (url.origin === base.origin) external.push(url)
  }
  let bytes = 0
  for (const url of external.slice(0, MAX_SCRIPTS)) {
    const text =
      bytes < MAX_BYTES
        ? await request(url).then(
            async (each) => each.text(),
            () => '',
          )
        : ''
    bytes += text.length
    scripts.push({ url: url.href, text, isInline: false })
  }
  return { scripts, tags }
}

/** Reads a page and its scripts. Throws if it does not respond with HTML. */
export const readPage = async (address: string): Promise<Page> => {
  const response = await request(address, { headers: { accept: 'text/html' } })
  const html = await response.text()
  if (!response.ok) throw new Error(`${address} responded with status ${response.status}.`)
  if (!/html/i.test(response.headers.get('content-type') ?? '')) throw new Error(`${address} is not a page of HTML.`)
  const url = new URL(response.url || address)
  const { scripts, tags } = await readScripts(html.replace(/<!--[^]*?-->/g, ''), url)
  const byTag = tags.flatMap(({ url: { href }, token, apiHost }) =>
    token
      ? [{ token, apiHost: apiHost ?? href.replace(/\/(?:static\/)?(?:\d[\w.-]*\/)?[\w.]+\.js.*$/, ''), where: href }]
      : [],
  )
  const starts = [...byTag, ...scripts.flatMap((each) => startsOf(each.text, each.url))]
  return { url, html, headers: response.headers, scripts, tags, starts }
}

/** Whether the page has the SDK, by a tag, a snippet or in a bundle. */
export const hasSdk = ({ tags, scripts }: Page): boolean =>
  tags.length > 0 || scripts.some(({ text }) => IS_SDK.test(text))
