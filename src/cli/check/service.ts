import type { Finding } from './findings'
import { type Page, request, type Start } from './page'

const MAX_SKEW_MS = 5_000

const detailOf = (text: string): string => {
  try {
    const { detail } = JSON.parse(text) as { detail?: string }
    return detail ? `: ${detail}` : ''
  } catch {
    return /<html|<!doctype/i.test(text) ? ' with a page of HTML' : ''
  }
}

const checkClock = (response: Response, name: string, at: number): Finding[] => {
  const date = Date.parse(response.headers.get('date') ?? '')
  const skew = date - at
  return Math.abs(skew) > MAX_SKEW_MS
    ? [
        {
          level: 'warning',
          code: 'clock',
          seen: `The clock of ${name} is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'} this machine.`,
          advice: 'Set both by NTP. The service corrects clocks of visitors by its own, so times of events follow it.',
        },
      ]
    : []
}

/** Requests flags as a page would, which stores nothing. */
const checkFlags = async (host: string, { url }: Page, { token }: Start): Promise<Finding[]> => {
  const at = Date.now()
  const response = await request(`${host}/flags/?v=2`, {
    method: 'POST',
    body: JSON.stringify({ token, distinct_id: 'trailmark-check' }),
    headers: { 'content-type': 'text/plain', origin: url.origin },
    redirect: 'manual',
  })
  const text = await response.text()
  const location = response.headers.get('location')
  if (location)
    return [
      {
        level: 'error',
        code: 'proxy',
        seen: `${host}/flags/ redirects to ${location}.`,
        advice: 'Pass requests on without redirects. In Next.js, set skipTrailingSlashRedirect.',
      },
    ]
  if (!response.ok || !/^\s*\{/.test(text) || !/"(?:flags|featureFlags)"/.test(text))
    return [
      {
        level: 'error',
        code: response.status === 401 ? 'token' : 'proxy',
        seen: `${host}/flags/ responded with status ${response.status}${detailOf(text)}.`,
        advice: 'Check that api_host is the service or a proxy to it, and that the token is the one of the project.',
      },
    ]
  const origin = response.headers.get('access-control-allow-origin')
  const isReadable = new URL(host).origin === url.origin || origin === '*' || origin === url.origin
  return [
    ...(isReadable
      ? []
      : [
          {
            level: 'error' as const,
            code: 'cors',
            seen: `${host} does not allow pages of ${url.origin} to read its responses.`,
            advice: 'Pass the headers Access-Control-Allow-* of the service on.',
          },
        ]),
    ...checkClock(response, host, at),
  ]
}

const checkScript = async (script: string): Promise<Finding[]> => {
  const broken = (seen: string, advice: string): Finding[] => [{ level: 'error', code: 'script', seen, advice }]
  const response = await request(script)
  const type = response.headers.get('content-type') ?? ''
  // `fetch` throws if the body cannot be unpacked. Browsers cannot unpack it either.
  const text = await response.text().catch(() => undefined)
  if (text === undefined)
    return broken(
      `${script} cannot be unpacked.`,
      'The proxy passes on content-encoding of a body that it has unpacked. Remove the header: docs/guides/proxies.md.',
    )
  if (!response.ok)
    return broken(
      `${script} responded with status ${response.status}${detailOf(text)}.`,
      'Check the URL and the proxy.',
    )
  if (!/javascript/.test(type))
    return broken(
      `${script} has the type ${type || 'of nothing'}.`,
      'It must be JavaScript. A site that answers every path with its page does this.',
    )
  return []
}

/** A proxy on the site's own origin passes on the SDK's paths only. */
const checkConsole = async (host: string, { url }: Page): Promise<Finding[]> => {
  if (new URL(host).origin !== url.origin) return []
  const response = await request(`${host}/console/`, { redirect: 'manual' })
  return response.ok && /trailmark/i.test(await response.text())
    ? [
        {
          level: 'error',
          code: 'console',
          seen: `${host}/console/ is open to visitors of the site.`,
          advice: 'Pass on the paths of the SDK only: docs/guides/proxies.md.',
        },
      ]
    : []
}

const attempt = async (code: string, run: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await run()
  } catch (error) {
    return [
      {
        level: 'error',
        code,
        seen: (error as Error).message,
        advice: 'Check the host, the proxy and the certificate.',
      },
    ]
  }
}

/** Asks the service, or the proxy before it, as the page would. */
export const serviceChecks = async (page: Page): Promise<Finding[]> => {
  const [start] = page.starts.filter(({ apiHost }) => apiHost && /^(?:https?:)?\//.test(apiHost))
  const findings: Finding[] = []
  for (const { url } of page.tags) findings.push(...(await attempt('script', () => checkScript(url.href))))
  if (!start) return findings
  const host = new URL(start.apiHost!, page.url).href.replace(/\/$/, '')
  findings.push(...(await attempt('proxy', () => checkFlags(host, page, start))))
  findings.push(...(await attempt('console', () => checkConsole(host, page))))
  return findings
}
