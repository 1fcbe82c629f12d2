import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** Decodes a body to text: gzip, `data` of a form, base64, or plain. */
const textOf = (bytes) => {
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
  const data = text.startsWith('data=') ? decodeURIComponent(text.slice('data='.length).split('&')[0]) : text
  return /^[\w+/]+=*$/.test(data) ? Buffer.from(data, 'base64').toString() : data
}

/** Returns the size of the request line and the headers in HTTP/1.1, in bytes. */
const headBytes = ({ method, url, rawHeaders }) =>
  `${method} ${url} HTTP/1.1\r\n\r\n`.length + rawHeaders.reduce((sum, each) => sum + Buffer.byteLength(each) + 2, 0)

/**
 * Starts a service for one SDK that records all requests and responds as `answers` says (see sdks.mjs). `arrived(name)`
 * returns the number of received events of a name.
 */
export const startCollector = async ({ answers, events }) => {
  const requests = []
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      requests.push({
        method: request.method,
        url: request.url,
        headBytes: headBytes(request),
        bodyBytes: body.length,
        text: textOf(body),
        isEvents: request.method === 'POST' && events.test(request.url.split('?')[0]),
      })
      const [type, text] = answers.find(([path]) => path.test(request.url))[1]
      response.writeHead(200, {
        'Content-Type': type,
        'Access-Control-Allow-Origin': request.headers.origin ?? '*',
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '*',
        'Access-Control-Allow-Methods': 'GET, POST, PUT',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      })
      response.end(text)
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const countIn = (text, name) => text.split(JSON.stringify(name)).length - 1
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    arrived: (name) => requests.reduce((sum, { text }) => sum + countIn(text, name), 0),
    requestsOf: (name) => requests.filter(({ text }) => countIn(text, name)),
    clear: () => void requests.splice(0),
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
