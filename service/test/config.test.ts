import { resolve } from 'node:path'
import { ConfigError, describeVariables, readConfig } from '../src/config.ts'

const read = (env: Record<string, string>) => readConfig(env, { staticDir: '/sdk' })

test('an empty environment has every fallback', () => {
  expect(read({})).toEqual({
    port: 8000,
    host: '127.0.0.1',
    dataDir: resolve('./.data'),
    projectToken: undefined,
    personalApiKey: undefined,
    staticDir: '/sdk',
    clickhouseUrl: undefined,
    engineMemoryBytes: undefined,
  })
})

test.each([
  ['TRAILMARK_PORT', '0', { port: 0 }],
  ['TRAILMARK_PORT', '', { port: 8000 }],
  ['TRAILMARK_HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['TRAILMARK_DATA', '/var/lib/trailmark', { dataDir: '/var/lib/trailmark' }],
  ['TRAILMARK_STATIC', '/www', { staticDir: '/www' }],
  ['CLICKHOUSE_URL', 'http://u:p@db:8123', { clickhouseUrl: 'http://u:p@db:8123' }],
  ['TRAILMARK_ENGINE_MEMORY_MB', '1000', { engineMemoryBytes: 1_000_000_000 }],
])('%s=%s is read', (name, text, expected) => {
  expect(read({ [name]: text })).toMatchObject(expected)
})

test.each([
  ['TRAILMARK_PORT', '80a', 'takes a port number'],
  ['TRAILMARK_PORT', '65536', 'takes a port number'],
  ['TRAILMARK_PORT', '-1', 'takes a port number'],
  ['TRAILMARK_PROJECT_TOKEN', 'a b', 'takes 1 to 200 letters'],
  ['TRAILMARK_PERSONAL_API_KEY', 'short', 'takes 16 to 200'],
  ['CLICKHOUSE_URL', 'db:8123', 'takes an address such as'],
  ['TRAILMARK_ENGINE_MEMORY_MB', '100', 'takes a whole number of megabytes'],
])('%s=%s is refused by name', (name, text, words) => {
  expect(() => read({ [name]: text })).toThrow(ConfigError)
  expect(() => read({ [name]: text })).toThrow(new RegExp(`^${name} ${words}`))
})

test('a refused key is not shown', () => {
  expect(() => read({ TRAILMARK_PERSONAL_API_KEY: 'secret' })).toThrow(/^(?!.*secret)/)
})

test('every variable is described', () => {
  expect(describeVariables().split('\n')).toHaveLength(8)
})
