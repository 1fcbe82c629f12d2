import { limitRate } from '../../src/pipeline/stages/limitRate'
import type { Config } from '../../src/types'

const setUp = (limits: Config['rate_limiting']) => {
  let time = 0
  const limit = limitRate(
    () => limits,
    () => {},
    () => time,
  )
  const passes = (event: string) => !('drop' in limit({ uuid: 'u', event, properties: {}, timestamp: new Date() }, {}))
  return {
    passes,
    passing: (count: number) => Array.from({ length: count }, () => passes('x')).filter(Boolean).length,
    wait: (ms: number) => (time += ms),
  }
}

test.each(['$identify', '$create_alias', '$groupidentify', '$set'])(
  '%s is never rate limited and uses no token',
  (event) => {
    const { passes, passing } = setUp({ events_per_second: 1, events_burst_limit: 3 })
    for (let index = 0; index < 10; index += 1) expect(passes(event)).toBe(true)
    expect(passing(10)).toBe(3)
    expect(passes(event)).toBe(true)
  },
)

test.each([
  [{ events_per_second: -5 }, 100],
  [{ events_per_second: NaN }, 100],
  [{ events_per_second: 2, events_burst_limit: -1 }, 20],
  [{ events_per_second: 0.01 }, 1],
])('rate_limiting %j allows a burst of %i events', (limits, expected) =>
  expect(setUp(limits).passing(200)).toBe(expected),
)
