import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** Sends a request over a persistent connection. Resolves with the status, the body as text, and the duration in ms. */
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

/**
 * Runs `callers` loops that call `ask(turn)`, until `most` turns are done or `seconds` have passed. Resolves with the
 * results of the calls, in ms, and the number of calls per second.
 */
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
