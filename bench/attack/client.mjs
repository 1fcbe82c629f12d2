import { Agent, request } from 'node:http'
import { connect } from 'node:net'

// Limits per client must see two clients: other addresses of the loopback network where the system has them, and the header
// that the service takes from a proxy on its own machine.
export const CLIENTS = {
  honest: { localAddress: '127.0.0.2', forwardedFor: '203.0.113.7' },
  attacker: { localAddress: '127.0.0.3', forwardedFor: '198.51.100.9' },
}

const addressOf = ({ localAddress }) => (process.platform === 'linux' ? { localAddress } : {})

/** Throws for anything but a service on this machine: these are attacks. */
export const assertLoopback = (url) => {
  if (new URL(url).hostname !== '127.0.0.1')
    throw new Error(`The attack benchmark only runs against 127.0.0.1, not ${url}.`)
}

/** Sends requests as one of the clients. An answer that does not come counts as status 0. */
export const createClient = (url, client) => {
  assertLoopback(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  return {
    ask: ({ method = 'POST', path, headers = {}, body, timeoutMs = 30_000, isRead = true }) =>
      new Promise((resolve) => {
        const done = (status) => resolve(status)
        const asked = request(
          `${url}${path}`,
          {
            method,
            agent,
            timeout: timeoutMs,
            ...addressOf(client),
            headers: {
              'x-forwarded-for': client.forwardedFor,
              ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
              ...headers,
            },
          },
          (answer) => {
            if (!isRead) return done(answer.statusCode) // the rest stays in the service
            answer.resume()
            answer.on('end', () => done(answer.statusCode))
            answer.on('error', () => done(0))
          },
        )
        asked.on('timeout', () => asked.destroy())
        asked.on('error', () => done(0))
        asked.end(body)
      }),
    /** A connection that has sent `text` and waits. */
    open: (text) => {
      const { port } = new URL(url)
      const socket = connect({ host: '127.0.0.1', port: Number(port), ...addressOf(client) })
      socket.on('error', () => {}) // the service may close it, which is what it should do
      socket.resume()
      socket.write(text)
      return socket
    },
    close: () => agent.destroy(),
  }
}
