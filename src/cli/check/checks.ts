import { checkCsp } from './csp'
import type { Finding } from './findings'
import { hasSdk, type Page } from './page'

const error = (code: string, seen: string, advice: string): Finding => ({ level: 'error', code, seen, advice })
const warning = (code: string, seen: string, advice: string): Finding => ({ level: 'warning', code, seen, advice })

const START = "analytics.init('TOKEN', { api_host: 'https://events.example.com' })"

const checkPresence = (page: Page): Finding[] => {
  if (!hasSdk(page) && page.starts.length === 0)
    return [
      error(
        'absent',
        'Neither the page nor its scripts of the same origin have the SDK.',
        `Add the script tag, or call ${START}. If a consent banner or a tag manager adds it, check the page with --browser.`,
      ),
    ]
  return page.starts.length > 0
    ? []
    : [
        warning(
          'start',
          'No call of init with a readable token was found.',
          `Call ${START}, unless your code does so with variables.`,
        ),
      ]
}

const checkDoubleStart = ({ tags, starts }: Page): Finding[] => {
  const findings: Finding[] = []
  if (tags.length > 1)
    findings.push(
      error(
        'double',
        `The page has ${tags.length} script elements of the SDK: ${tags.map(({ url }) => url.href).join(', ')}.`,
        'Remove all but one.',
      ),
    )
  const [first, ...others] = starts
  if (first && others.length > 0 && tags.length < 2)
    findings.push(
      warning(
        'double',
        `init is called ${starts.length} times: ${starts.map(({ where, token }) => `${where} (${token})`).join(', ')}.`,
        'The first call wins. Remove the others, or give each instance a name of its own.',
      ),
    )
  return findings
}

const checkHost = ({ url, starts }: Page): Finding[] =>
  starts.flatMap(({ apiHost, where }) => {
    if (apiHost === undefined)
      return [error('host', `init in ${where} has no api_host.`, 'Pass the URL of your service or proxy as api_host.')]
    if (!/^(?:https?:)?\//.test(apiHost))
      return [
        error(
          'host',
          `api_host is ${apiHost}, which browsers read as a path of the page.`,
          `Write https://${apiHost}.`,
        ),
      ]
    return url.protocol === 'https:' && apiHost.startsWith('http:')
      ? [
          error(
            'host',
            `The page has https:, and api_host is ${apiHost}, which browsers block.`,
            'Use https: for the service.',
          ),
        ]
      : []
  })

const BLOCKED = /analytics|tracking|telemetry|posthog|mixpanel|segment/i

const checkBlockers = ({ url, tags, starts }: Page): Finding[] => {
  const targets = [
    ...tags.map((tag) => tag.url),
    ...starts.flatMap(({ apiHost }) => (apiHost && URL.canParse(apiHost, url.href) ? [new URL(apiHost, url)] : [])),
  ]
  const blocked = targets.filter((target) => BLOCKED.test(target.host + target.pathname))
  return blocked.length > 0
    ? [
        warning(
          'blocked',
          `Ad blockers know names in ${[...new Set(blocked.map(({ href }) => href))].join(', ')}.`,
          'Serve the SDK from your own domain as /ingest/a.js: docs/guides/proxies.md.',
        ),
      ]
    : []
}

const SECRET =
  /^(?:.*[_-])?(?:password|passwd|pwd|secret|token|api_?key|access_?key|auth|jwt|session(?:_?id)?|otp|ssn)$/i
const EMAIL = /[^\s@]+@[^\s@]+\.[a-z]{2,}/i

const checkUrls = ({ url, html }: Page): Finding[] => {
  const links = [...html.matchAll(/(?:href|action)\s*=\s*["']([^"'#]*\?[^"']*)["']/gi)].map(([, href]) =>
    href!.replaceAll('&amp;', '&'),
  )
  const names = new Set<string>()
  for (const link of [url.href, ...links]) {
    if (!URL.canParse(link, url.href)) continue
    const target = new URL(link, url)
    if (target.origin !== url.origin) continue
    for (const [name, value] of target.searchParams) if (SECRET.test(name) || EMAIL.test(value)) names.add(name)
  }
  return names.size > 0
    ? [
        warning(
          'url',
          `URLs of the site have parameters that look like secrets or personal data: ${[...names].sort().join(', ')}.`,
          'The SDK redacts common names. Pass others to custom_personal_data_properties with mask_personal_data_properties, or remove them in before_send.',
        ),
      ]
    : []
}

const checkKeys = ({ html, scripts }: Page): Finding[] => {
  const places = [{ url: 'the page', text: html }, ...scripts].filter(({ text }) => /["'`=]phx_\w{8,}/.test(text))
  return places.length > 0
    ? [
        error(
          'key',
          `A personal API key (phx_…) is in ${places.map(({ url }) => url).join(', ')}. Everybody can read it.`,
          'Roll the key now, and use the public token of the project in pages.',
        ),
      ]
    : []
}

/** Checks that need no further requests. */
export const staticChecks = (page: Page): Finding[] =>
  [checkPresence, checkDoubleStart, checkHost, checkCsp, checkBlockers, checkUrls, checkKeys].flatMap((check) =>
    check(page),
  )
