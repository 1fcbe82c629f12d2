import type { RecorderPluginParts } from '../../host'
import type { ExtensionHost } from '../contract'
import { safeBody } from './secrets'

const MAX_BODY = 1_000_000
const BODY_MS = 500
const TEXT_TYPE = /^(text\/|application\/(.*\+)?(json|xml|x-www-form-urlencoded|graphql))/i

/** Whether a content type is textual. */
export const isText = (type: string | null): boolean => TEXT_TYPE.test(type ?? '')

/** Reads a stream in parts; undefined if it is too large or does not end soon. The rest is not kept in memory. */
const readText = async (
  stream: ReadableStream<Uint8Array>,
  later: ExtensionHost['later'],
): Promise<string | undefined> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const read = async (): Promise<string | undefined> => {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
    return text.length > MAX_BODY ? undefined : read()
  }
  const result = await Promise.race([
    read().catch(() => undefined),
    new Promise<undefined>((done) => later(() => done(undefined), BODY_MS)),
  ])
  if (result === undefined) void reader.cancel().catch(() => {})
  return result
}

/** Creates functions that return the recorded text of a body: without secrets, and undefined for files and other streams. */
export const createBodies = ({ later, withoutSensitive }: ExtensionHost & RecorderPluginParts) => {
  const hasSensitiveNumbers = (text: string) => withoutSensitive(text) !== text.split(/\s+/).join(' ').trim()
  const ofText = (text: string): string =>
    text.length > MAX_BODY ? '[too large]' : safeBody(text, hasSensitiveNumbers)
  return {
    ofText,
    /** Returns the body of a request, as passed to `fetch` or `XMLHttpRequest`. */
    ofRequest: (body: unknown): string | undefined =>
      typeof body === 'string' || body instanceof URLSearchParams ? ofText(String(body)) : undefined,
    ofResponse: async (response: Response): Promise<string | undefined> => {
      const size = Number(response.headers.get('content-length') ?? 0)
      if (!isText(response.headers.get('content-type')) || size > MAX_BODY) return undefined
      const { body } = response.clone()
      const text = body && (await readText(body, later))
      return typeof text === 'string' ? ofText(text) : undefined
    },
  }
}

export type Bodies = ReturnType<typeof createBodies>
