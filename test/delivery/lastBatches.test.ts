import { resolveConfig } from '../../src/config/settings'
import { bodyText } from '../../src/delivery/encode'
import type { Entry } from '../../src/lib/entry'
import { createLastBatches } from '../../src/delivery/lastBatches'
import { RULES } from '../support/optionRules'

const entry = (name: string): Entry => ({
  event: name,
  uuid: `u-${name}`,
  at: 0,
  text: JSON.stringify({ event: name }),
})

const setUp = () => {
  jest.useFakeTimers()
  const beacons: unknown[] = []
  // jsdom has no beacons.
  Object.defineProperty(navigator, 'sendBeacon', { value: () => true, configurable: true })
  const batches = createLastBatches({
    config: resolveConfig({}, console, RULES),
    url: () => '/e/',
    textOf: (batch) =>
      bodyText(
        't',
        batch.map(({ text }) => text),
      ),
    encode: async (text) => `encoded ${text}`,
    send: async () => ({ status: 200, text: '' }),
    sendBeacon: (_, body) => !!beacons.push(body),
  })
  return { batches, beacons }
}

test('a batch that waits for long is compressed again before its body is too old to send', async () => {
  const { batches, beacons } = setUp()
  const batch = [entry('a')]
  for (let times = 0; times < 3; times += 1) {
    await batches.prepare(batch)
    await jest.advanceTimersByTimeAsync(3_000)
  }
  batches.send(batch)
  expect(beacons).toEqual([expect.stringMatching(/^encoded /)])
})

test('a batch compressed ahead of time is not sent after one of its events was removed', async () => {
  const { batches, beacons } = setUp()
  const [kept, dropped] = [entry('kept'), entry('dropped')]
  await batches.prepare([kept, dropped])
  batches.send([kept])
  expect(beacons).toHaveLength(1)
  expect(beacons[0]).toContain('kept')
  expect(beacons[0]).not.toContain('dropped')
})
