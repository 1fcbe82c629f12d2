import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** Starts a server that keeps the events it gets. */
export const startCollector = async () => {
  const events = []
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
      events.push(...JSON.parse(text).batch)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":1}')
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { host: `http://127.0.0.1:${server.address().port}`, events, stop }
}
