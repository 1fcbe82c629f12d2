import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toText } from './html.mjs'

const PUBLIC = fileURLToPath(new URL('../public/', import.meta.url))

const TYPES = { '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' }

const toCookieHeader = ({ name, value, days }) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${value ? days * 86_400 : 0}`

/** Allows this page's inline script, our files, and the service, for the SDK's script and its requests. */
const contentSecurityPolicy = (nonce, serviceOrigin) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'self' ${serviceOrigin}`,
    `connect-src 'self' ${serviceOrigin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Sends a page: `{ status, document, cookies }`, `{ redirect, cookies }` or `{ status, json }`. */
export const sendAnswer = (response, answer, { nonce, serviceOrigin }) => {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin')
  response.setHeader('Cache-Control', 'no-store')
  if (answer.cookies) response.setHeader('Set-Cookie', answer.cookies.map(toCookieHeader))
  if (answer.redirect) return response.writeHead(303, { Location: answer.redirect }).end()
  if (answer.json)
    return response
      .writeHead(answer.status ?? 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(answer.json))
  response.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce, serviceOrigin))
  return response
    .writeHead(answer.status ?? 200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end(toText(answer.document))
}

/** Sends a file of `public/`. Returns false if there is none at this path. */
export const sendFile = async (response, pathname) => {
  const file = normalize(join(PUBLIC, pathname))
  const type = TYPES[extname(file)]
  if (!type || !file.startsWith(PUBLIC) || file.includes(`${sep}.`)) return false
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return false
  response.writeHead(200, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  })
  createReadStream(file).pipe(response)
  return true
}
