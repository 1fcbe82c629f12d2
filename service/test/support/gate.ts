import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a process and a ClickHouse server. */
export interface Gate {
  /** URL of the server through the gate. */
  readonly url: string
  /** Holds back matching statements until `open`. */
  hold(pattern: RegExp): void
  /** Forwards matching statements, and holds back their responses until `open`. */
  holdResponses(pattern: RegExp): void
  /** Forwards the next matching statement, and closes its connection instead of returning the response. */
  dropNext(pattern: RegExp): void
  /** Number of held statements and responses. */
  held(): number
  /** Forwards all statements, held ones first. */
  open(): void
  close(): Promise<void>
}

export const startGate = async (target: string): Promise<Gate> => {
  const { hostname, port, username, password } = new URL(target)
  let pattern: RegExp | undefined
  let responses: RegExp | undefined
  let dropped: RegExp | undefined
  let waiting: (() => void)[] = []
  const pass = async (asked: IncomingMessage, answered: ServerResponse) => {
    const body: Buffer[] = []
    for await (const chunk of asked) body.push(chunk as Buffer)
    const statement = decodeURIComponent(asked.url!.replaceAll('+', ' ')) + Buffer.concat(body).toString()
    const turn = () => new Promise<void>((go) => waiting.push(go))
    if (pattern?.test(statement)) await turn()
    // Skip clients that have disconnected.
    if (answered.destroyed) return
    const answer = async (reply: IncomingMessage) => {
      if (responses?.test(statement)) await turn()
      if (dropped?.test(statement)) {
        dropped = undefined
        return answered.destroy()
      }
      answered.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(answered)
    }
    const onward = request(
      { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
      (reply) => void answer(reply),
    )
    onward.on('error', () => answered.destroy())
    answered.on('close', () => onward.destroy())
    onward.end(Buffer.concat(body))
  }
  // The forwarded headers of the target promise a longer keep-alive than the default.
  const server = createServer(
    { keepAliveTimeout: 120_000 },
    (asked, answered) => void pass(asked, answered).catch(() => answered.destroy()),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const open = () => {
    pattern = responses = undefined
    for (const go of waiting) go()
    waiting = []
  }
  return {
    url: `http://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (given) => void (pattern = given),
    holdResponses: (given) => void (responses = given),
    dropNext: (given) => void (dropped = given),
    held: () => waiting.length,
    open,
    close() {
      open()
      return new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    },
  }
}
