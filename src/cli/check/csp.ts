import { createHash } from 'node:crypto'
import type { Finding } from './findings'
import type { Page } from './page'

type Policy = Map<string, string[]>

const parse = (text: string): Policy =>
  new Map(
    text
      .split(';')
      .map((each) => each.trim().split(/\s+/))
      .filter(([name]) => name)
      .map(([name, ...sources]) => [name!.toLowerCase(), sources] as const)
      // The first of two directives of a name counts.
      .reverse(),
  )

/** The policies of a page, of its headers and its elements. */
const policiesOf = ({ headers, html }: Page): Policy[] => {
  const tags = html.match(/<meta[^>]+http-equiv\s*=\s*["']?content-security-policy["'\s>][^>]*>/gi) ?? []
  const texts = tags.map((tag) => /content\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean) ?? '')
  return [...(headers.get('content-security-policy') ?? '').split(','), ...texts]
    .filter((text) => text.trim())
    .map(parse)
}

const sourcesOf = (policy: Policy, ...names: string[]): readonly string[] | undefined =>
  [...names, 'default-src'].map((name) => policy.get(name)).find(Boolean)

const matchesHost = (source: string, url: URL): boolean => {
  const [, scheme, wildcard, host, port, path] =
    /^(?:([a-z][\w+.-]*):\/\/)?(\*\.)?([^/:*]+|\*)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? []
  if (!host) return false
  const isScheme = !scheme || `${scheme}:` === url.protocol || (scheme === 'http' && url.protocol === 'https:')
  const isHost = host === '*' || (wildcard ? url.hostname.endsWith(`.${host}`) : url.hostname === host)
  const isPort = port === '*' || (port ?? '') === url.port
  const isPath = !path || (path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path)
  return isScheme && isHost && isPort && isPath
}

/** Whether a list of sources allows a URL on a page. */
export const allowsUrl = (sources: readonly string[] | undefined, url: URL, page: URL): boolean =>
  !sources ||
  sources.some(
    (source) =>
      (source === "'self'" && url.origin === page.origin) || source === url.protocol || matchesHost(source, url),
  )

const allowsScript = (sources: readonly string[] | undefined, url: URL, page: URL, nonce?: string): boolean => {
  const isNonced = nonce !== undefined && sources?.includes(`'nonce-${nonce}'`)
  return isNonced || (!sources?.includes("'strict-dynamic'") && allowsUrl(sources, url, page)) || !sources
}

const allowsInline = (sources: readonly string[] | undefined, text: string, nonce?: string): boolean => {
  if (!sources) return true
  const isKeyed = sources.some((source) => /^'(?:nonce|sha\d+)-/.test(source))
  const hash = `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return (
    sources.includes(hash) ||
    (nonce !== undefined && sources.includes(`'nonce-${nonce}'`)) ||
    (!isKeyed && sources.includes("'unsafe-inline'"))
  )
}

/** Finds what the page's Content-Security-Policy blocks of the SDK. */
export const checkCsp = (page: Page): Finding[] => {
  const findings: Finding[] = []
  const block = (seen: string, advice: string) => findings.push({ level: 'error', code: 'csp', seen, advice })
  for (const policy of policiesOf(page)) {
    const scripts = sourcesOf(policy, 'script-src-elem', 'script-src')
    for (const { url, nonce } of page.tags)
      if (!allowsScript(scripts, url, page.url, nonce))
        block(
          `The Content-Security-Policy blocks the script ${url.href}.`,
          `Add ${url.origin} or a nonce to script-src.`,
        )
    for (const { text, nonce, isInline, url } of page.scripts)
      if (isInline && /\banalytics\b|\bposthog\b/.test(text) && !allowsInline(scripts, text, nonce))
        block(
          `The Content-Security-Policy blocks ${url}, which uses the SDK.`,
          'Give the script the nonce of the policy.',
        )
    const connections = sourcesOf(policy, 'connect-src')
    for (const apiHost of new Set(page.starts.map((start) => start.apiHost)))
      if (apiHost && URL.canParse(apiHost, page.url.href)) {
        const url = new URL(`${apiHost.replace(/\/$/, '')}/e/`, page.url)
        if (!allowsUrl(connections, url, page.url))
          block(`The Content-Security-Policy blocks events to ${url.origin}.`, `Add ${url.origin} to connect-src.`)
      }
  }
  return findings
}
