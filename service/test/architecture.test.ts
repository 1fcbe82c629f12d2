import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SRC = resolve(__dirname, '../src')

/** Ports of the storage. */
const STORES = ['storage', 'storage/metadata', 'storage/schema']

/**
 * Files at the edge of a room: its module, with its routes and tables. They form a room of their own, which connects the other
 * ones, so that the code of a room knows neither requests nor modules.
 */
const EDGE =
  /^(?!http|storage|service|sql)[^/]+\/(?:(?:module|routes|schema|evaluation|erasure|storing|console|files|agentTools)\.ts$|(?:routes|agentTools)\/)/

/** Allowed imports. A room is a folder or a top-level file. The longest name that matches a file is its room. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  config: ['lib'],
  storage: ['lib'],
  'storage/embedded': ['lib', 'storage'],
  'storage/metadata': ['lib'],
  'storage/schema': ['storage'],
  'storage/cluster': ['lib', 'storage', 'storage/schema'],
  ingest: ['lib', 'storage', 'storage/metadata', 'storage/schema', 'persons'],
  heatmaps: ['lib', 'storage', 'storage/metadata', 'ingest', 'persons', 'endpoints/insights'],
  persons: ['lib', 'storage', 'storage/metadata', 'sql', 'sql/catalog', 'sql/print'],
  // Session recordings: chunks from browsers, and what people read of them.
  recordings: ['lib', 'storage', 'storage/metadata', 'ingest', 'persons', 'flags', 'endpoints/insights'],
  flags: ['lib', 'storage', 'storage/metadata', 'persons'],
  surveys: ['lib', 'storage', 'storage/metadata', 'ingest', 'persons', 'flags'],
  errorTracking: ['lib', 'storage', 'storage/metadata', 'persons', 'events', 'flags'],
  // The plan of a project's events.
  plan: ['lib', 'storage/metadata', 'ingest', 'events'],
  // How long data is kept, deletions by condition, and the journal of what was erased.
  retention: ['lib', 'storage', 'storage/metadata', 'ingest', 'persons'],
  // Exports and imports.
  transfers: ['lib', 'storage', 'storage/metadata', 'sql', 'retention'],
  projects: ['lib', 'storage', 'storage/metadata'],
  status: ['lib', 'storage', 'storage/metadata'],
  statics: ['lib'],
  docs: ['lib'],
  dashboards: ['lib', 'storage/metadata'],
  // Links to dashboards and endpoints, and what their readers see.
  shares: [
    'lib',
    'storage/metadata',
    'dashboards',
    'sql/parse',
    'endpoints',
    'endpoints/insights',
    'endpoints/variables',
    'endpoints/definitions',
    'endpoints/tokens',
  ],
  console: ['lib', 'projects', 'statics', 'storage/metadata'],
  // Tools for agents. It knows no product: tools come from the modules.
  mcp: ['lib', 'storage', 'storage/metadata', 'http', 'endpoints'],
  // Sessions of the toolbar on pages of sites, and what it reads.
  toolbar: ['lib', 'storage/metadata', 'console', 'flags'],
  // The phases of the compiler: text → syntax tree → resolved SQL → text. The catalog is the data that resolving and printing share.
  'sql/parse': ['lib'],
  'sql/catalog': ['lib'],
  'sql/resolve': ['lib', 'sql/parse', 'sql/catalog'],
  'sql/print': ['lib', 'sql/catalog'],
  sql: ['lib', 'sql/parse', 'sql/catalog', 'sql/resolve', 'sql/print'],
  'endpoints/insights': ['lib', 'sql/catalog', 'sql/resolve', 'sql/print'],
  'endpoints/variables': ['lib', 'storage', 'storage/metadata', 'sql'],
  'endpoints/definitions': [
    'lib',
    'storage',
    'storage/metadata',
    'sql',
    'sql/parse',
    'endpoints/insights',
    'endpoints/variables',
  ],
  'endpoints/materialization': [
    'lib',
    'storage',
    'storage/metadata',
    'sql',
    'sql/parse',
    'sql/catalog',
    'sql/print',
    'endpoints/insights',
    'endpoints/definitions',
  ],
  'endpoints/tokens': [
    'lib',
    'storage',
    'storage/metadata',
    'endpoints',
    'endpoints/insights',
    'endpoints/variables',
    'endpoints/definitions',
  ],
  endpoints: [
    'lib',
    'storage',
    'storage/metadata',
    'endpoints/materialization',
    'sql',
    'sql/resolve',
    'endpoints/insights',
    'endpoints/variables',
    'endpoints/definitions',
  ],
  // Reading events: lists, the live feed, event and property names, property values.
  events: [
    'lib',
    'storage',
    'storage/metadata',
    'ingest',
    'persons',
    'sql/catalog',
    'sql/resolve',
    'sql/print',
    'endpoints/insights',
  ],
  // Requests, and who sent them. It knows no product: routes come from the modules.
  http: ['lib', 'storage', 'storage/metadata', 'ingest', 'console', 'toolbar', 'endpoints', 'endpoints/tokens'],
  measure: ['lib', 'ingest'],
  engine: ['config', 'lib', 'storage', 'storage/metadata', 'storage/embedded', 'storage/schema', 'storage/cluster'],
  edges: [
    'config',
    'module',
    'measure',
    'http',
    'lib',
    ...STORES,
    'ingest',
    'persons',
    'errorTracking',
    'events',
    'plan',
    'recordings',
    'retention',
    'transfers',
    'heatmaps',
    'flags',
    'surveys',
    'projects',
    'dashboards',
    'shares',
    'console',
    'toolbar',
    'mcp',
    'status',
    'statics',
    'docs',
    'sql',
    'endpoints',
    'endpoints/materialization',
    'endpoints/tokens',
    'endpoints/variables',
    'endpoints/definitions',
    'endpoints/insights',
  ],
  // What a module is.
  module: [
    'config',
    'http',
    'mcp',
    'ingest',
    'flags',
    'persons',
    'projects',
    'retention',
    'endpoints',
    'lib',
    ...STORES,
  ],
  modules: ['edges', 'http', 'ingest', 'lib', 'module', ...STORES],
  service: [
    'measure',
    'engine',
    'config',
    'edges',
    'modules',
    'module',
    'http',
    'persons',
    'projects',
    'retention',
    'endpoints',
    'lib',
    ...STORES,
  ],
  backup: [
    'lib',
    'persons',
    'projects',
    'retention',
    'storage',
    'storage/metadata',
    'storage/embedded',
    'storage/schema',
  ],
  cli: [
    'transfers',
    'lib',
    'projects',
    'retention',
    'console',
    'backup',
    'storage',
    'storage/metadata',
    'storage/embedded',
    'storage/schema',
  ],
  main: [
    'service',
    'modules',
    'statics',
    'cli',
    'http',
    'config',
    'storage',
    'storage/metadata',
    'storage/embedded',
    'lib',
  ],
}

/** Storage modules that other rooms may import: the ports with their types and errors, never connections. */
const ONLY_FROM_STORAGE = [
  'storage/storage.ts',
  'storage/insertRows.ts',
  'storage/joinedInserts.ts',
  'storage/unsafeIntegers.ts',
  'storage/metadata/metadata.ts',
  // What a module says of its tables.
  'storage/schema/schema.ts',
  // Defines the columns whose values ingest sends.
  'storage/schema/visitColumns.ts',
]
const PORT_USERS = [
  'ingest',
  'heatmaps',
  'events',
  'plan',
  'recordings',
  'retention',
  'transfers',
  'endpoints',
  'endpoints/variables',
  'endpoints/definitions',
  'endpoints/materialization',
  'endpoints/tokens',
  'http',
  'edges',
  'flags',
  'surveys',
  'projects',
  'dashboards',
  'shares',
  'console',
  'mcp',
  'persons',
]

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesIn(join(folder, entry.name))
      : entry.name.endsWith('.ts')
        ? [join(folder, entry.name)]
        : [],
  )

const files = filesIn(SRC).map((file) => relative(SRC, file))

const innerRoomOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((room) =>
      room.includes('/') ? file.startsWith(`${room}/`) : file === `${room}.ts` || file.startsWith(`${room}/`),
    )
    .sort((a, b) => b.length - a.length)[0]

const roomOf = (file: string): string | undefined => (EDGE.test(file) ? 'edges' : innerRoomOf(file))

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s+['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g,
    ),
  ].map((match) => relative(SRC, resolve(SRC, dirname(file), (match[1] ?? match[2])!)))

const edges = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })))

test('every source file belongs to a room', () => {
  expect(files.filter((file) => !roomOf(file))).toEqual([])
})

test('every import names an existing file with its extension', () => {
  expect(edges.filter(({ to }) => !files.includes(to))).toEqual([])
})

test('a room imports only allowed rooms', () => {
  expect(
    edges.filter(({ from, to }) => roomOf(from) !== roomOf(to) && !MAY_IMPORT[roomOf(from)!]!.includes(roomOf(to)!)),
  ).toEqual([])
})

test('rooms import only the ports of the storage, and stores of modules also the database of the metadata', () => {
  const isPort = (from: string, to: string) =>
    ONLY_FROM_STORAGE.includes(to) || (from.endsWith('/store.ts') && to.startsWith('storage/metadata/'))
  const wrong = edges.filter(
    ({ from, to }) => PORT_USERS.includes(roomOf(from)!) && to.startsWith('storage/') && !isPort(from, to),
  )
  expect(wrong).toEqual([])
})

test('only the gated engine is opened, so no request handler can bypass the gate', () => {
  const connects = ['storage/clickhouse.ts', 'storage/clickhouseClients.ts', 'storage/cluster/cluster.ts']
  const openers = edges.filter(({ from, to }) => connects.includes(to) && roomOf(from) !== roomOf(to))
  // Types of connections, and files that the command line opens itself.
  const known = [
    'engine.ts',
    'backup/eventStore.ts',
    'storage/embedded/config.ts',
    'storage/embedded/engine.ts',
    'storage/embedded/launch.ts',
  ]
  expect(
    openers.map(({ from }) => from).filter((from) => !known.includes(from) && !from.startsWith('storage/cluster/')),
  ).toEqual([])
})

test('only the storage opens connections', () => {
  const users = files.filter((file) =>
    /import (?!type )[^']* from '(?:@clickhouse\/client|@libsql\/client|kysely|ffi-rs)'/.test(
      readFileSync(join(SRC, file), 'utf8'),
    ),
  )
  expect(users.filter((file) => !file.startsWith('storage/'))).toEqual([])
})

// Runs read between a deletion and an insert, and rows that are both deleted and written again would be missing in between.
test('what deletes rows of the event store cannot insert any', () => {
  const ports = files
    .filter((file) => !file.startsWith('storage/'))
    .flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(/Pick<(?:Storage|GatedStorage|IngestStorage), ([^>]*)>/g)].map(
        ([, members]) => ({ file, members: members! }),
      ),
    )
    .filter(({ members }) => members.includes("'remove'"))
  expect([...new Set(ports.map(({ file }) => file))].sort()).toEqual([
    'persons/erase.ts',
    'persons/forget.ts',
    'recordings/removeRecordings.ts',
    'retention/deletionWork.ts',
    'retention/replay.ts',
  ])
  expect(ports.filter(({ members }) => members.includes("'insert'"))).toEqual([])
})

test('source files have no import cycles', () => {
  const circles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file)) return
    for (const { to } of edges.filter(({ from }) => from === file)) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})

/** Rooms that nothing needs: without such a folder and its row in `modules.ts`, the rest of the service works. */
const REMOVABLE = [
  'status',
  'docs',
  'surveys',
  'recordings',
  'heatmaps',
  'errorTracking',
  'plan',
  'dashboards',
  'shares',
]

/** Rooms that are removed with another one, because they need it. */
const REMOVED_WITH: Readonly<Record<string, string>> = { dashboards: 'shares' }

test.each(REMOVABLE)('only modules.ts knows %s', (room) => {
  const users = edges.filter(({ from, to }) => to.startsWith(`${room}/`) && !from.startsWith(`${room}/`))
  const removed = REMOVED_WITH[room]
  expect(users.filter(({ from }) => from !== 'modules.ts' && !from.startsWith(`${removed}/`))).toEqual([])
})
