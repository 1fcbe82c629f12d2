import { Agent, request } from 'node:http'
import { connect } from 'node:net'

// Two clients for the service's limits per client: different addresses of the loopback network (on Linux), and different
// values of the header that the service trusts from a proxy on its own machine.
export const CLIENTS = {
  honest: { localAddress: '127.0.0.2', forwardedFor: '203.0.113.7' },
  attacker: { localAddress: '127.0.0.3', forwardedFor: '198.51.100.9' },
}

const addressOf = ({ localAddress }) => (process.platform === 'linux' ? { localAddress } : {})

/** Throws unless the service is on this machine, because these are attacks. */
export const assertLoopback = (url) => {
  if (new URL(url).hostname !== '127.0.0.1')
    throw new Error(`The attack benchmark only runs against 127.0.0.1, not ${url}.`)
}

/** Creates a client that resolves requests with their status; 0: no response. */
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
          (response) => {
            if (!isRead) return done(response.statusCode) // the rest of the response stays in the service
            response.resume()
            response.on('end', () => done(response.statusCode))
            response.on('error', () => done(0))
          },
        )
        asked.on('timeout', () => asked.destroy())
        asked.on('error', () => done(0))
        asked.end(body)
      }),
    /** Opens a connection, sends `text`, and returns the open socket. */
    open: (text) => {
      const { port } = new URL(url)
      const socket = connect({ host: '127.0.0.1', port: Number(port), ...addressOf(client) })
      socket.on('error', () => {}) // the service is expected to close it
      socket.resume()
      socket.write(text)
      return socket
    },
    close: () => agent.destroy(),
  }
}
