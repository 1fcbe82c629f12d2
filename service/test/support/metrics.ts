import { request } from './api.ts'
import { trailmarkJson } from './cli.ts'
import type { RunningService } from './startService.ts'

/** Creates a key that may read the metrics of a service. */
export const createMetricsKey = async ({ data }: RunningService): Promise<string> =>
  (await trailmarkJson(data, 'key', 'create', 'prometheus', '--scopes', 'metrics:read', '--all-projects')).value

/** Reads the metrics of a service, by name with labels. */
export const readMetrics = async ({ url }: RunningService, key: string): Promise<Record<string, number>> => {
  const { status, body } = await request(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  expect(status).toBe(200)
  return Object.fromEntries(
    (body as string)
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
