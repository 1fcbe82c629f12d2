import { pipeline, type Readable } from 'node:stream'
import { createGzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'

// A smaller response fits into a few packets, and compressing it costs more than it saves.
const MIN_BYTES = 4_096
const COMPRESSIBLE = /^(?:application\/(?:json|x-ndjson|ndjson)|text\/(?:csv|plain))\b/

const takesGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/i.test(each))

/** Adds a name to the `Vary` header of the response. */
export const varyBy = (reply: FastifyReply, name: string): void => {
  const before = String(reply.getHeader('vary') ?? '')
  if (!before.toLowerCase().includes(name)) reply.header('vary', before ? `${before}, ${name}` : name)
}

const isStream = (payload: unknown): payload is Readable =>
  typeof (payload as Readable | null | undefined)?.pipe === 'function'

const isWorthIt = (payload: unknown) =>
  isStream(payload) ||
  ((typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= MIN_BYTES)

const mayCompress = (request: FastifyRequest, reply: FastifyReply): boolean =>
  request.method !== 'HEAD' &&
  !(request.routeOptions.config as { hasSecret?: boolean }).hasSecret &&
  // The build compresses scripts.
  reply.getHeader('content-encoding') === undefined &&
  reply.getHeader('content-length') === undefined &&
  COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))

/**
 * Compresses API responses with gzip, off the main thread.
 *
 * BREACH: the length of a compressed response can reveal a secret next to text chosen by an attacker who makes the
 * victim's browser send many requests. The API is not vulnerable: it requires a key in a header, which pages of other
 * sites cannot add, or a session of the console, which `assertOwnPage` accepts from the console only. Responses of
 * public routes have no secrets. Responses with a new key or token (`hasSecret`) are still not compressed.
 */
export const compressAnswer: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (!isWorthIt(payload) || !mayCompress(request, reply)) return done(null, payload)
  varyBy(reply, 'accept-encoding')
  if (!takesGzip(request.headers['accept-encoding'])) return done(null, payload)
  reply.header('content-encoding', 'gzip')
  // An error of either end closes both, which truncates the response, as without compression.
  if (isStream(payload))
    return done(
      null,
      pipeline(payload, createGzip(), () => {}),
    )
  gzip(payload as string | Buffer, done)
}
