import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { engineLibrary, thisMachine } from '../../src/storage/embedded/library.ts'
import { until } from './engine.ts'
import { freePort } from './freePort.ts'

const CHILD = resolve(__dirname, '../../dist/storage/embedded/child.js')

export interface ClickhouseServer {
  /** URL with user and password. */
  readonly url: string
  stop(): Promise<void>
}

export interface ClickhouseNode extends ClickhouseServer {
  /** Ends it immediately, like `kill -9`. */
  kill(): Promise<void>
  /** Restarts it on its port and data. */
  start(): Promise<void>
  /** Queries this node directly, bypassing the service. Rejects with its message. */
  ask(query: string, settings?: Readonly<Record<string, string>>): Promise<unknown[][]>
}

export interface ClickhouseCluster {
  /** Environment variables that select the cluster. */
  readonly env: { readonly CLICKHOUSE_URL: string; readonly CLICKHOUSE_CLUSTER: string }
  readonly nodes: readonly ClickhouseNode[]
  stop(): Promise<void>
}

interface NodePlace {
  readonly folder: string
  readonly httpPort: number
  readonly tcpPort: number
  /** Additional configuration. */
  readonly more?: string
}

const createNode = ({ folder, httpPort, tcpPort, more = '' }: NodePlace): ClickhouseNode => {
  const file = join(folder, 'config.xml')
  const url = `http://mine:secret@127.0.0.1:${httpPort}`
  mkdirSync(join(folder, 'store'), { recursive: true })
  const user = (name: string, password: string) =>
    `<${name}><password>${password}</password><networks><ip>::1</ip><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></${name}>`
  writeFileSync(
    file,
    `<clickhouse><http_port>${httpPort}</http_port><users_config>${file}</users_config><users>${user('default', '')}${user('mine', 'secret')}</users><profiles><default/></profiles><quotas><default/></quotas><backups><allowed_path>${folder}</allowed_path></backups><memory_worker_period_ms>1000</memory_worker_period_ms>${more}</clickhouse>`,
  )
  const library = engineLibrary(thisMachine((name) => join(dirname(require.resolve(name)), 'package.json')))
  // HTTP last: once it responds, the other port is open too.
  const forever =
    'SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(100000000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null'
  let child: ChildProcess | undefined
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const ending = child
    child = undefined
    if (!ending) return
    const gone = new Promise((done) => ending.once('exit', done))
    ending.kill(signal)
    await gone
  }
  return {
    url,
    async start() {
      child = spawn(
        process.execPath,
        [
          CHILD,
          library,
          `--config-file=${file}`,
          `--path=${join(folder, 'store')}`,
          `--http_port=${httpPort}`,
          `--tcp_port=${tcpPort}`,
          '--listen_host=127.0.0.1',
          '--log-level=fatal',
          '--multiquery',
          '--query',
          forever,
        ],
        { stdio: ['pipe', 'ignore', 'inherit'], env: { PATH: process.env.PATH, TZ: 'UTC' } },
      )
      const started = child
      const isUp = () =>
        fetch(`http://127.0.0.1:${httpPort}/ping`).then(
          (reply) => reply.ok,
          () => false,
        )
      await until(async () => started.signalCode !== null || (await isUp()))
      if (started.signalCode) throw new Error(`The server of ${folder} did not start: ${started.signalCode}`)
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async ask(query, settings = {}) {
      const parameters = new URLSearchParams({
        user: 'mine',
        password: 'secret',
        default_format: 'JSONCompact',
        ...settings,
      })
      const response = await fetch(`http://127.0.0.1:${httpPort}/?${parameters.toString()}`, {
        method: 'POST',
        body: query,
      })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text ? JSON.parse(text).data : []
    },
  }
}

/** Starts an empty ClickHouse server in `folder` with a user and a password, for CLICKHOUSE_URL. */
export const startClickhouse = async (folder: string): Promise<ClickhouseServer> => {
  const node = createNode({ folder, httpPort: await freePort(), tcpPort: await freePort() })
  await node.start()
  return node
}

/** Starts a cluster of two shards, each a separate server, without a Keeper. */
export const startCluster = async (folder: string): Promise<ClickhouseCluster> => {
  const places = []
  for (const shard of ['one', 'two'])
    places.push({ folder: join(folder, shard), httpPort: await freePort(), tcpPort: await freePort() })
  const shards = places.map(
    ({ tcpPort }) =>
      `<shard><replica><host>127.0.0.1</host><port>${tcpPort}</port><user>mine</user><password>secret</password></replica></shard>`,
  )
  const more = `<remote_servers><pair>${shards.join('')}</pair></remote_servers>`
  const nodes = places.map((place) => createNode({ ...place, more }))
  await Promise.all(nodes.map((node) => node.start()))
  return {
    env: { CLICKHOUSE_URL: nodes.map(({ url }) => url).join(','), CLICKHOUSE_CLUSTER: 'pair' },
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  }
}
