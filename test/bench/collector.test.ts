/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

// The service of the benchmark is a plain Node module, so it runs in Node here too.
const COLLECTOR = pathToFileURL(resolve(__dirname, '../../bench/support/startCollector.mjs')).href

const inNode = (script: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))

test('the benchmark collector counts events in any encoding and measures the bytes on the wire', () => {
  const seen = inNode(`
    import { gzipSync } from 'node:zlib'
    import { startCollector } from '${COLLECTOR}'
    const collector = await startCollector({ events: /^\\/e\\/$/, answers: [[/./, ['application/json', '{}']]] })
    const text = JSON.stringify([{ event: 'bought' }, { event: 'bought' }, { event: 'bought twice' }])
    const base64 = Buffer.from(text).toString('base64')
    const bodies = [text, gzipSync(text), base64, 'data=' + encodeURIComponent(base64) + '&ip=1', 'data=' + encodeURIComponent(text) + '&ip=1']
    for (const body of bodies) await fetch(collector.url + '/e/?a=1', { method: 'POST', body })
    await fetch(collector.url + '/flags/', { method: 'POST', body: '{}' })
    console.log(JSON.stringify({
      arrived: collector.arrived('bought'),
      isEvents: collector.requests.map(({ isEvents }) => isEvents),
      areBytesRight: bodies.every((body, index) => collector.requests[index].bodyBytes === body.length),
    }))
    await collector.stop()`)
  expect(seen).toEqual({ arrived: 10, isEvents: [true, true, true, true, true, false], areBytesRight: true })
})

test('the benchmark collector responds with the first matching row and allows other origins', () => {
  const seen = inNode(`
    import { startCollector } from '${COLLECTOR}'
    const answers = [[/^\\/config/, ['text/javascript', 'first']], [/./, ['application/json', '"other"']]]
    const collector = await startCollector({ events: /x/, answers })
    const ask = async (path) => { const answer = await fetch(collector.url + path, { headers: { Origin: 'http://site' } }); return [await answer.text(), answer.headers.get('content-type'), answer.headers.get('access-control-allow-origin')] }
    console.log(JSON.stringify([await ask('/config.js'), await ask('/e/')]))
    await collector.stop()`)
  expect(seen).toEqual([
    ['first', 'text/javascript', 'http://site'],
    ['"other"', 'application/json', 'http://site'],
  ])
})
