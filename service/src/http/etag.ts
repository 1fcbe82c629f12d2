import { createHash } from 'node:crypto'
import type { Handler, RouteRequest, RouteResponse } from './route.ts'

const plain = (tag: string) => tag.trim().replace(/^W\//, '')

/** Whether `If-None-Match` names the tag. Proxies that compress a response make its tag a weak one. */
const isNamed = (tag: string, header: string | undefined): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((each) => plain(each) === plain(tag)))

/** Returns the response with its tag, or a 304 if the client has it already. */
export const unlessKnown = (
  { headers: sent }: Pick<RouteRequest, 'headers'>,
  etag: string,
  { headers = {}, ...response }: RouteResponse,
): RouteResponse => {
  const { 'content-type': _, ...cached }: Readonly<Record<string, string>> = { ...headers, etag }
  return isNamed(etag, sent['if-none-match'])
    ? { status: 304, headers: cached }
    : { ...response, headers: { ...headers, etag } }
}

/** Returns the tag of a text. It is weak, because a compressed response has the same. */
export const tagOf = (text: string): string => `W/"${createHash('sha256').update(text).digest('base64url')}"`

/** Adds a tag to the responses of a handler, so that clients that poll get a 304 until something changes. */
export const tagged =
  <Parts, Body>(handler: Handler<Parts, Body>): Handler<Parts, Body> =>
  async (parts, request) => {
    const { body, headers = {}, ...response } = await handler(parts, request)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return unlessKnown(request, tagOf(text), {
      ...response,
      body: text,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    })
  }
