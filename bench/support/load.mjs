import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** Sends a request and gives status, the whole body as text, and how long it took in ms. Connections are kept. */
export const send = (url, { method = 'POST', headers = {}, body } = {}) =>
  new Promise((done, failed) => {
    const start = performance.now()
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', failed)
      response.on('end', () => {
        const ms = performance.now() - start
        done({ status: response.statusCode, text: Buffer.concat(chunks).toString(), ms })
      })
    })
    sent.on('error', failed)
    sent.end(body)
  })

/** Lets `callers` call `ask(turn)` one after another, until `most` turns are done or `seconds` are over: the ms that each turn gave. */
export const load = async ({ callers, most, seconds, ask }) => {
  const samples = []
  const end = performance.now() + 1000 * seconds
  let turns = 0
  const call = async () => {
    while (turns < most && performance.now() < end) samples.push(await ask((turns += 1)))
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: callers }, call))
  return { samples, perSecond: (1000 * samples.length) / (performance.now() - start) }
}
