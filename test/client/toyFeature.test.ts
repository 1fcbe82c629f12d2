import type { Feature } from '../../src/client/feature'
import { FEATURES } from '../../src/client/features/features'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// A feature is one object in the list of a build: nothing else of the SDK knows it.

const toy = {
  name: 'toy',
  options: { toy: [true, 'boolean | object'] },
  members: { toy: { loud: 'boolean' } },
  methods: { ring: 'silence' },
  remote: { toyVolume: [(value: unknown) => typeof value === 'number'] },
  connect: ({ context: { config, remote }, capture }: Parameters<NonNullable<Feature['connect']>>[0]) => ({
    api: { ring: (tone: string) => capture('rang', { tone })?.event },
    stage: {
      name: 'toy',
      before: 'beforeSend',
      run: (event: { properties: object }) => ({
        ...event,
        properties: { ...event.properties, toy: (config as { toy?: unknown }).toy, volume: remote.items.toyVolume },
      }),
    },
  }),
} as unknown as Feature

type WithToy = { ring(tone: string): unknown }
const start = (options: object) => startAnalytics(options, 'token', undefined, undefined, [...FEATURES, toy])

test('a feature brings its option, method, stage and item of the remote configuration', async () => {
  const { analytics, sent, setApiResponse, settle } = start({ toy: { loud: true } })
  setApiResponse(200, { ...NO_FLAGS, toyVolume: 7 })
  await settle(1000)
  expect((analytics as unknown as WithToy).ring('c')).toBe('rang')
  await settle(5000)
  expect(sent[0]).toMatchObject({ event: 'rang', properties: { tone: 'c', toy: { loud: true }, volume: 7 } })
})

test('its option, the members of it and its item are checked, and its method answers without a client', async () => {
  const [errors, warnings] = [listenToConsole('error'), listenToConsole('warn')]
  const { analytics, setApiResponse, settle } = start({ toy: { loud: 1, quiet: true } })
  setApiResponse(200, { ...NO_FLAGS, toyVolume: '7' })
  await settle(1000)
  analytics.set_config({ toy: 1 } as never)
  expect(errors).toEqual([expect.stringContaining('toy.loud'), expect.stringContaining('toy')])
  expect(warnings).toEqual([expect.stringContaining('toy.quiet'), expect.stringContaining('toyVolume')])
  await analytics.shutdown()
  expect((analytics as unknown as WithToy).ring('c')).toBe('silence')
})
