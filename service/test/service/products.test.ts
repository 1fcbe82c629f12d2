import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { api, capture, countOf, event, isReady, request } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

const FOLDER = resolve(__dirname, `../../.data/products-${process.pid}`)
const BUILD = resolve(__dirname, '../support/buildModules.mjs')

/** Builds a service with another list of modules. Returns its source files. */
const build = (name: string, ...edit: readonly [way: 'add' | 'remove', place: string, name: string]): string[] =>
  JSON.parse(execFileSync(process.execPath, [BUILD, `${FOLDER}/${name}`, ...edit], { encoding: 'utf8' }))

let service: RunningService | undefined

afterEach(async () => {
  await service?.stop()
  rmSync(FOLDER, { recursive: true, force: true })
})

test('a folder and a row add a product: a route, a table, a sink, a reason of rejection, a metric, a setting of SDKs and an eraser', async () => {
  const files = build('with-votes', 'add', resolve(__dirname, 'votes/module.ts'), 'VOTES')
  expect(files).toContain('service/test/service/votes/module.ts')
  service = await startService({ main: `${FOLDER}/with-votes/main.js` })
  const vote = (choice: unknown, distinct_id = 'ann') => event('vote', {}, { distinct_id, choice })

  const { body } = await capture(
    service,
    event('$identify', {}, { distinct_id: 'ann' }),
    vote('tea'),
    vote(1),
    vote('tea', 'bob'),
  )
  expect(body.refused).toEqual([{ index: 2, code: 'invalid_vote', detail: '"choice" must be a string.' }])
  const { results } = (await api(service, 'GET', '/events/live')).body
  expect(results.find(({ code }: { code?: string }) => code === 'invalid_vote').remedy).toBe(
    'Send the choice as a string.',
  )
  expect((await api(service, 'GET', '/votes/')).body).toEqual({ tea: 2 })
  expect(await countOf(service, 'vote')).toBe(0)
  expect((await request(`${service.url}/array/${service.token}/config`)).body.votes).toBe(true)

  const [ann] = (await api(service, 'GET', '/persons/?distinct_id=ann')).body.results
  expect((await api(service, 'DELETE', `/persons/${ann.id}`)).status).toBe(204)
  expect((await api(service, 'GET', '/votes/')).body).toEqual({ tea: 1 })
})

test('without its row, nothing of a product is left, and the rest of the service works', async () => {
  const files = build('without-heatmaps', 'remove', 'heatmaps', 'HEATMAPS')
  expect(files.filter((file) => file.includes('heatmaps'))).toEqual([])
  service = await startService({ main: `${FOLDER}/without-heatmaps/main.js` })

  expect(await isReady(service)).toBe(true)
  expect((await capture(service, event('visit'), event('$$heatmap', {}, { $heatmap_data: 1 }))).body).toEqual({
    status: 1,
  })
  expect([await countOf(service, 'visit'), await countOf(service, '$$heatmap')]).toEqual([1, 1])
  expect((await api(service, 'GET', '/heatmaps/pages')).status).toBe(404)
})
