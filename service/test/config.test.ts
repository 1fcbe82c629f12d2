import { resolve } from 'node:path'
import { ConfigError, configTable, describeVariables, readConfig, unknownVariables } from '../src/config.ts'

const read = (env: Record<string, string>) =>
  readConfig(env, { staticDir: '/sdk', consoleDir: '/console', docsDir: '/docs' })

test('an empty environment results in the default configuration', () => {
  expect(read({})).toEqual({
    port: 8000,
    host: '127.0.0.1',
    dataDir: resolve('./.data'),
    projectToken: undefined,
    personalApiKey: undefined,
    staticDir: '/sdk',
    consoleDir: '/console',
    docsDir: '/docs',
    consoleHosts: ['localhost', '127.0.0.1', '[::1]'],
    consoleBase: '',
    clickhouseUrl: undefined,
    databaseUrl: undefined,
    clickhouseCluster: undefined,
    hasCities: false,
    isSmall: false,
    engineMemoryBytes: undefined,
    runSeconds: 10,
    runMemoryBytes: 1_000_000_000,
    runRows: 50_000,
    runStreamRows: 10_000_000,
    runsPerMinute: 6_000,
    runsPerHour: 120_000,
    flagsPerMinute: 0,
    errorIssues: 10_000,
    runsAtOnce: 20,
    agentCallsPerMinute: 120,
    engineRuns: 16,
    keyLimits: {},
    cacheBytes: 64_000_000,
    materializeLagSeconds: 60,
    shadowPercent: 1,
    runSource: 'quickest',
    ingestBytes: 64_000_000,
    diskReserveBytes: 500_000_000,
    logFormat: 'text',
    logLevel: 'info',
  })
})

test.each([
  ['TRAILMARK_PORT', '0', { port: 0 }],
  ['TRAILMARK_PORT', '', { port: 8000 }],
  ['TRAILMARK_HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['TRAILMARK_DATA', '/var/lib/trailmark', { dataDir: '/var/lib/trailmark' }],
  ['TRAILMARK_STATIC', '/www', { staticDir: '/www' }],
  ['TRAILMARK_CONSOLE_STATIC', '/www/console', { consoleDir: '/www/console' }],
  ['TRAILMARK_DOCS_STATIC', '/www/docs', { docsDir: '/www/docs' }],
  [
    'TRAILMARK_CONSOLE_HOSTS',
    'Console.Example.com, 192.168.1.5:8000,[fd00::1]',
    { consoleHosts: ['console.example.com', '192.168.1.5:8000', '[fd00::1]'] },
  ],
  ['TRAILMARK_CONSOLE_BASE', '/tools/trailmark/', { consoleBase: '/tools/trailmark' }],
  ['CLICKHOUSE_URL', 'http://u:p@db:8123', { clickhouseUrl: 'http://u:p@db:8123' }],
  ['DATABASE_URL', 'postgres://u:p%40@db:5432/trailmark', { databaseUrl: 'postgres://u:p%40@db:5432/trailmark' }],
  [
    'DATABASE_URL',
    'postgresql:///trailmark?host=/run/postgresql',
    { databaseUrl: 'postgresql:///trailmark?host=/run/postgresql' },
  ],
  [
    'TRAILMARK_SMALL',
    '1',
    {
      isSmall: true,
      engineMemoryBytes: 512_000_000,
      runMemoryBytes: 150_000_000,
      engineRuns: 4,
      cacheBytes: 8_000_000,
      ingestBytes: 32_000_000,
    },
  ],
  ['TRAILMARK_SMALL', '0', { isSmall: false, cacheBytes: 64_000_000 }],
  ['TRAILMARK_ENGINE_MEMORY_MB', '1000', { engineMemoryBytes: 1_000_000_000 }],
  ['TRAILMARK_RUN_SECONDS', '60', { runSeconds: 60 }],
  ['TRAILMARK_RUN_MEMORY_MB', '50', { runMemoryBytes: 50_000_000 }],
  ['TRAILMARK_RUN_ROWS', '10', { runRows: 10 }],
  ['TRAILMARK_RUN_STREAM_ROWS', '11', { runStreamRows: 11 }],
  ['TRAILMARK_RUNS_PER_MINUTE', '12', { runsPerMinute: 12 }],
  ['TRAILMARK_RUNS_PER_HOUR', '13', { runsPerHour: 13 }],
  ['TRAILMARK_FLAGS_PER_MINUTE', '13', { flagsPerMinute: 13 }],
  ['TRAILMARK_ERROR_ISSUES', '14', { errorIssues: 14 }],
  ['TRAILMARK_RUNS_AT_ONCE', '14', { runsAtOnce: 14 }],
  ['TRAILMARK_ENGINE_RUNS', '32', { engineRuns: 32 }],
  ['TRAILMARK_CACHE_MB', '0', { cacheBytes: 0 }],
  [
    'TRAILMARK_KEY_LIMITS',
    '{"my key":{"seconds":5,"memory_mb":20,"per_minute":60},"other":{}}',
    { keyLimits: { 'my key': { seconds: 5, memoryBytes: 20_000_000, perMinute: 60 }, other: {} } },
  ],
])('reads the setting %s=%s', (name, text, expected) => {
  expect(read({ [name]: text })).toMatchObject(expected)
})

test('a small service uses values that are set', () => {
  expect(read({ TRAILMARK_SMALL: '1', TRAILMARK_CACHE_MB: '20' })).toMatchObject({
    isSmall: true,
    cacheBytes: 20_000_000,
  })
})

test.each([
  ['TRAILMARK_PORT', '80a', 'expects a port number'],
  ['TRAILMARK_PORT', '65536', 'expects a port number'],
  ['TRAILMARK_PORT', '-1', 'expects a port number'],
  ['TRAILMARK_PROJECT_TOKEN', 'a b', 'expects 1 to 200 letters'],
  ['TRAILMARK_PERSONAL_API_KEY', 'short', 'expects 16 to 200'],
  ['TRAILMARK_CONSOLE_HOSTS', 'https://console.example.com', 'expects host names such as'],
  ['TRAILMARK_CONSOLE_HOSTS', '*', 'expects host names such as'],
  ['TRAILMARK_CONSOLE_HOSTS', 'localhost,', 'expects host names such as'],
  ['TRAILMARK_CONSOLE_BASE', 'trailmark', 'expects a path such as'],
  ['TRAILMARK_CONSOLE_BASE', '//evil.example', 'expects a path such as'],
  ['TRAILMARK_CONSOLE_BASE', '/a/../b', 'expects a path such as'],
  ['CLICKHOUSE_URL', 'db:8123', 'expects a URL such as'],
  ['DATABASE_URL', 'db:5432/trailmark', 'expects a URL such as postgres://'],
  ['DATABASE_URL', 'mysql://u:p@db/trailmark', 'expects a URL such as postgres://'],
  ['DATABASE_URL', 'postgres://u:p@db', 'expects a URL such as postgres://'],
  ['DATABASE_URL', 'postgres://u:100%@db/trailmark', 'expects a URL such as postgres://'],
  ['CLICKHOUSE_URL', 'http://one:8123,two', 'expects a URL such as'],
  ['CLICKHOUSE_CLUSTER', "a'b", 'expects 1 to 200 letters'],
  ['CLICKHOUSE_CLUSTER', 'main', 'requires the URLs'],
  ['CLICKHOUSE_URL', 'http://one:8123,http://two:8123', 'has several servers: set CLICKHOUSE_CLUSTER'],
  ['TRAILMARK_SMALL', 'yes', 'expects 0 or 1'],
  ['TRAILMARK_ENGINE_MEMORY_MB', '100', 'expects a whole number of megabytes'],
  ['TRAILMARK_RUN_SECONDS', '0', 'expects a whole number from 1 to 60'],
  ['TRAILMARK_RUN_SECONDS', '61', 'expects a whole number from 1 to 60'],
  ['TRAILMARK_RUNS_AT_ONCE', '-1', 'expects a whole number'],
  ['TRAILMARK_KEY_LIMITS', '{', 'expects JSON such as'],
  ['TRAILMARK_KEY_LIMITS', '[]', 'expects JSON such as'],
  ['TRAILMARK_KEY_LIMITS', '{"a":5}', 'expects JSON such as'],
  ['TRAILMARK_KEY_LIMITS', '{"a":{"second":5}}', 'expects only seconds'],
  ['TRAILMARK_KEY_LIMITS', '{"a":{"seconds":0}}', 'has an invalid "seconds" for "a": it expects a whole number'],
])('rejects the setting %s=%s with a message that names the variable', (name, text, words) => {
  expect(() => read({ [name]: text })).toThrow(ConfigError)
  expect(() => read({ [name]: text })).toThrow(new RegExp(`^${name} ${words}`))
})

test.each(['TRAILMARK_PERSONAL_API_KEY', 'DATABASE_URL'])('an error message never contains an invalid %s', (name) => {
  expect(() => read({ [name]: 'secret' })).toThrow(/^(?!.*secret)/)
})

test('every environment variable has a description', () => {
  const lines = describeVariables().split('\n')
  expect(lines).toHaveLength(configTable().length)
  for (const line of lines) expect(line).toMatch(/^ {2}[A-Z_]+ +\S+ \S/)
})

test('a variable that the service does not know is named, with the one that was probably meant', () => {
  expect(
    unknownVariables({
      TRAILMARK_DATA: '/data',
      TRAILMARK_PROT: '1',
      TRAILMARK_PROJECT_TOKENS: 'a',
      TRAILMARK_SOMETHING_ELSE: 'b',
      TRAILMARK_URL: 'http://localhost:8000',
      PATH: '/bin',
    }),
  ).toEqual([
    'TRAILMARK_PROJECT_TOKENS is not a variable of the service and is ignored. Did you mean TRAILMARK_PROJECT_TOKEN?',
    'TRAILMARK_PROT is not a variable of the service and is ignored. Did you mean TRAILMARK_PORT?',
    'TRAILMARK_SOMETHING_ELSE is not a variable of the service and is ignored. "trailmark --help" lists all.',
  ])
})

test('files of places are separated by commas', () => {
  expect(read({ TRAILMARK_GEOIP_FILE: '/a.mmdb, b.csv', TRAILMARK_GEOIP_CITY: '1' })).toMatchObject({
    geoipFiles: ['/a.mmdb', resolve('b.csv')],
    hasCities: true,
  })
})
