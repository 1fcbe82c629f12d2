import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** A message of the protocol that the bridge passes on. */
interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

export interface BridgeOptions {
  /** Address of the service's `/mcp`. */
  readonly address: string
  readonly key: string
  readonly input: Readable
  readonly output: Writable
}

const REVISION = 'io.modelcontextprotocol/protocolVersion'
/** Revision of clients that name theirs only in the first message. */
const OLD_REVISION = '2025-06-18'
const FAILED = -32_000

/** Returns the headers that must match the message, for clients of current revisions. */
const headersOf = ({ method, params }: Message, agreed: string): Record<string, string> => {
  const revision = params?._meta?.[REVISION]
  if (typeof revision !== 'string') return method === 'initialize' ? {} : { 'mcp-protocol-version': agreed }
  return {
    'mcp-protocol-version': revision,
    ...(method ? { 'mcp-method': method } : {}),
    ...(typeof params?.name === 'string' ? { 'mcp-name': params.name } : {}),
  }
}

/** Returns the messages of a response: one as JSON, or several as server-sent events. */
const messagesOf = async (response: Response): Promise<string[]> => {
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return text ? [text] : []
  return text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
}

const parsed = (line: string): Message | undefined => {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined
  } catch {
    return undefined
  }
}

const failure = (id: Message['id'], message: string) => ({ jsonrpc: '2.0', id, error: { code: FAILED, message } })

/**
 * Passes messages between an agent's standard streams, one per line, and a service. Resolves when the input has ended
 * and every message is answered.
 */
export const bridgeAgent = async ({ address, key, input, output }: BridgeOptions): Promise<void> => {
  const waiting = new Map<string | number, AbortController>()
  let agreed = OLD_REVISION
  const write = (text: string) => void output.write(`${text}\n`)

  const exchange = async (line: string, message: Message, signal: AbortSignal): Promise<readonly string[]> => {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersOf(message, agreed),
      },
      body: line,
      signal,
    })
    const messages = await messagesOf(response)
    const first = messages[0] === undefined ? undefined : (parsed(messages[0]) as Record<string, unknown> | undefined)
    if (message.method === 'initialize')
      agreed = (first?.result as { protocolVersion?: string } | undefined)?.protocolVersion ?? agreed
    // An error of the service, such as an invalid key, is not a message of the protocol.
    if (message.id === undefined || first?.jsonrpc === '2.0') return messages
    const detail = typeof first?.detail === 'string' ? first.detail : `The service answered with ${response.status}.`
    return [JSON.stringify(failure(message.id, detail))]
  }

  const pass = async (line: string, message: Message): Promise<void> => {
    const cancel = new AbortController()
    if (message.id !== undefined) waiting.set(message.id, cancel)
    try {
      for (const each of await exchange(line, message, cancel.signal)) write(each)
    } catch (error) {
      if (message.id === undefined || cancel.signal.aborted) return
      write(
        JSON.stringify(failure(message.id, `The service at ${address} does not answer: ${(error as Error).message}.`)),
      )
    } finally {
      if (message.id !== undefined) waiting.delete(message.id)
    }
  }

  const work = new Set<Promise<void>>()
  for await (const line of createInterface({ input })) {
    const message = parsed(line)
    if (!message) continue
    if (message.method === 'notifications/cancelled') waiting.get(message.params?.requestId ?? '')?.abort()
    const passing = pass(line, message)
    // The headers of all other messages depend on the answer to the first one.
    if (message.method === 'initialize') await passing
    work.add(passing)
    void passing.finally(() => work.delete(passing))
  }
  await Promise.all(work)
}
