import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { engineLibrary, thisMachine } from '../../src/storage/embedded/library.ts'
import { until } from './engine.ts'

const CHILD = resolve(__dirname, '../../dist/storage/embedded/child.js')

export interface ClickhouseServer {
  /** With user and password. */
  readonly url: string
  stop(): Promise<void>
}

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })

/** Starts a ClickHouse server of its own in `folder`, with nothing but a user and a password: what CLICKHOUSE_URL points at. */
export const startClickhouse = async (folder: string): Promise<ClickhouseServer> => {
  const port = await freePort()
  const file = join(folder, 'config.xml')
  mkdirSync(join(folder, 'store'), { recursive: true })
  const user = (name: string, password: string) =>
    `<${name}><password>${password}</password><networks><ip>::1</ip><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></${name}>`
  writeFileSync(
    file,
    `<clickhouse><users_config>${file}</users_config><users>${user('default', '')}${user('mine', 'secret')}</users><profiles><default/></profiles><quotas><default/></quotas><backups><allowed_path>${folder}</allowed_path></backups></clickhouse>`,
  )
  const library = engineLibrary(thisMachine((name) => join(dirname(require.resolve(name)), 'package.json')))
  const forever = 'SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(100000000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null'
  const child = spawn(
    process.execPath,
    [CHILD, library, `--config-file=${file}`, `--path=${join(folder, 'store')}`, `--http_port=${port}`, '--listen_host=127.0.0.1', '--log-level=error', '--multiquery', '--query', forever],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  )
  await until(() => fetch(`http://127.0.0.1:${port}/ping`).then((reply) => reply.ok, () => false))
  return {
    url: `http://mine:secret@127.0.0.1:${port}`,
    async stop() {
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await gone
    },
  }
}
