import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'

/** Addresses at which the console is reached: its hosts, its path, and the id in the name of its cookie. */
export interface ConsoleAddress {
  /** Allowed values of `Host`. A name without a port stands for the name with any port. */
  readonly hosts: readonly string[]
  /** Path under which a proxy serves the service, such as `/trailmark`. Empty: the root. */
  readonly base: string
  /** Id of this service. Services on several ports of one host share the cookies of that host. */
  readonly instance: string
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The parts of a request that decide whether the console answers it. */
export interface ConsoleRequest {
  readonly method: string
  readonly headers: Headers
  /** Scheme, and host with port, as the browser sees them. Resolved through trusted proxies. */
  readonly protocol: string
  readonly host: string
}

/** Custom header of the console's own requests. Pages on other origins cannot send it without a preflight. */
export const CONSOLE_HEADER = 'x-trailmark-console'

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * Policy of the document that plays recordings. The frame in it, which has the recorded page, inherits the policy: it
 * loads nothing, so that a recording cannot reveal to its sender who watches it.
 */
const PLAYER_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/**
 * Content security policy of the document that previews surveys. It shows the text of a draft and sends no requests.
 */
const PREVIEW_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  'img-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of responses to the console's own requests. */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Headers of the console's page and its files. */
export const PAGE_HEADERS = {
  ...PRIVATE_HEADERS,
  'content-security-policy': CSP,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const

/** Headers of the console's other documents by their file, in addition to those of its page. */
export const DOCUMENT_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'player.html': { 'content-security-policy': PLAYER_CSP, 'x-dns-prefetch-control': 'off' },
  'preview.html': { 'content-security-policy': PREVIEW_CSP },
}

const valueOf = (headers: Headers, name: string): string | undefined => own(headers, name) && String(own(headers, name))

const withoutPort = (host: string) => host.replace(/:\d+$/, '')

/**
 * Whether the console answers on the host of a request. A page that has its own name resolved to this service (DNS
 * rebinding) sends another `Host`. A site that forwards to this service may send `Host` of the service, so each name in
 * `X-Forwarded-Host` must be allowed too.
 */
export const isConsoleHost = ({ hosts }: Pick<ConsoleAddress, 'hosts'>, headers: Headers): boolean =>
  [valueOf(headers, 'host') ?? '', ...(valueOf(headers, 'x-forwarded-host')?.split(',') ?? [])]
    .map((host) => host.trim().toLowerCase())
    .every((host) => hosts.includes(host) || hosts.includes(withoutPort(host)))

/** Throws `ApiError` unless the console answers on the host of the request. */
export const assertConsoleHost = ({ hosts }: Pick<ConsoleAddress, 'hosts'>, headers: Headers): void => {
  if (!isConsoleHost({ hosts }, headers)) throw new ApiError('misdirected_request')
}

/**
 * Throws `ApiError` unless the request is from the console's own page. SameSite cookies are not enough: all ports of
 * localhost are one site.
 */
export const assertOwnPage = ({ method, headers, protocol, host }: ConsoleRequest): void => {
  const origin = valueOf(headers, 'origin')?.toLowerCase()
  const site = valueOf(headers, 'sec-fetch-site')
  const ownHost = host.toLowerCase()
  const isRead = method === 'GET' || method === 'HEAD'
  const isOwn =
    site !== undefined
      ? // A site that forwards to this service is of the same origin as the browser sees it, but has another host.
        site === 'same-origin' && (origin === undefined || origin.endsWith(`://${ownHost}`))
      : // Browsers send no Sec-Fetch-Site to plain HTTP, except on localhost, and no Origin with a GET of the same origin.
        origin !== undefined
        ? origin === `${protocol}://${ownHost}`
        : isRead && headers[CONSOLE_HEADER] === '1'
  if (!isOwn) throw new ApiError('cross_origin_request')
}

const isSecure = ({ protocol }: Pick<ConsoleRequest, 'protocol'>) => protocol === 'https'

// The prefixes make browsers refuse cookies of this name from plain HTTP, and from other hosts or paths.
const cookieName = ({ base, instance }: ConsoleAddress, request: Pick<ConsoleRequest, 'protocol'>): string =>
  `${isSecure(request) ? (base ? '__Secure-' : '__Host-') : ''}trailmark_${instance}`

/** Returns the value of the cookie `name`. Absent if there are several: a page of another port added one. */
export const onlyCookie = (headers: Headers, name: string): string | undefined => {
  const start = `${name}=`
  const values = (valueOf(headers, 'cookie') ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
  return values.length === 1 && values[0] ? values[0] : undefined
}

/** Returns the session secret in the request's cookie. */
export const sessionSecret = (
  address: ConsoleAddress,
  request: Pick<ConsoleRequest, 'headers' | 'protocol'>,
): string | undefined => onlyCookie(request.headers, cookieName(address, request))

/** Returns the value of `Set-Cookie` that stores `secret`, or deletes the cookie if `secret` is empty. */
export const sessionCookie = (
  address: ConsoleAddress,
  request: Pick<ConsoleRequest, 'protocol'>,
  { secret, seconds }: { secret: string; seconds: number },
): string =>
  [
    `${cookieName(address, request)}=${secret}`,
    `Path=${address.base}/`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(request) ? ['Secure'] : []),
  ].join('; ')
