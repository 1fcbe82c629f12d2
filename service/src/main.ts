import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, describeVariables, readConfig, unknownVariables } from './config.ts'
import { CommandError } from './cli/command.ts'
import { announceDev, type Dev, readDev, watchRejected } from './cli/dev.ts'
import { describeCommands, runCommand } from './cli/run.ts'
import { SCOPES } from './http/auth.ts'
import { CORE, readRelease } from './statics/statics.ts'
import { createLog } from './lib/log.ts'
import { ApiError } from './lib/apiError.ts'
import { within } from './lib/wait.ts'
import type { Service } from './service.ts'
import { startEngine } from './storage/embedded/engine.ts'
import { EngineMissing, engineLibrary, thisMachine } from './storage/embedded/library.ts'
import { DataDirInUse } from './storage/lock.ts'
import { isOneOfMany } from './storage/location.ts'
import { EventsElsewhere, MetadataMismatch, TokenTaken } from './storage/metadata/metadata.ts'
import { StorageError } from './storage/storage.ts'
import { own } from './lib/own.ts'

const STOP_TIMEOUT_MS = 20_000

const HELP = `Usage: trailmark <command>

  trailmark serve
      Starts the service: it receives events and runs named endpoints. The default command.
  trailmark dev [--port <port>] [--data <folder>] [--json] [--detached]
      Starts a service for development and tests, with a known token and key. Without --data, it removes its data at the end. It
      prints rejected events, and stops with the process that started it, unless it is detached.
${describeCommands()}

Environment:
${describeVariables()}
`

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const say = (line: string) => void process.stdout.write(`${line}\n`)

const fail = (message: string): never => {
  process.stderr.write(`trailmark: ${message}\n`)
  process.exit(1)
}

const prepareDataDir = (dataDir: string) => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    fail(
      `cannot write to the data folder ${dataDir} (${(error as NodeJS.ErrnoException).code}): set TRAILMARK_DATA to a folder that this user can write to.`,
    )
  }
}

type Explain = (config: Config) => string

/** Messages for errors that an operator can fix, by error code. */
const EXPLAIN: Readonly<Record<string, Explain>> = {
  EADDRINUSE: ({ host, port }) =>
    `port ${port} on ${host} is in use: stop the other process, or set TRAILMARK_PORT to another port (0: any free one).`,
  EACCES: ({ host, port }) =>
    `this user may not listen on port ${port} of ${host}: set TRAILMARK_PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) =>
    `this machine does not have the IP address ${host}: set TRAILMARK_HOST to one of its own, such as 127.0.0.1.`,
  ENOTFOUND: ({ host }) =>
    `the host ${host} is unknown: set TRAILMARK_HOST to an IP address of this machine, such as 127.0.0.1.`,
  ENOSPC: ({ dataDir }) =>
    `there is no space left for the data folder ${dataDir}: free some, or set TRAILMARK_DATA to a folder on another disk.`,
}

const explain = (error: unknown, config: Config, otherwise: string): string => {
  if (error instanceof DataDirInUse) {
    return `the data folder ${config.dataDir} is open in another Trailmark process: stop that one, or set TRAILMARK_DATA to another folder.`
  }
  if (error instanceof MetadataMismatch) return error.message
  if (error instanceof EventsElsewhere)
    return 'another Trailmark process uses the database at DATABASE_URL, and one of the two has an embedded engine, so each would store only some of the events: stop that process, or set CLICKHOUSE_URL to the same server for both.'
  if (error instanceof TokenTaken)
    return 'another project has the token in TRAILMARK_PROJECT_TOKEN, which is for the first project: set another token, or none.'
  if (error instanceof EngineMissing) return error.message
  if (
    error instanceof StorageError &&
    (error.engineCode === 'AUTHENTICATION_FAILED' || error.engineCode === 'REQUIRED_PASSWORD')
  ) {
    return 'the ClickHouse server rejects the user: set CLICKHOUSE_URL to a URL with the right user and password, http://user:password@host:8123.'
  }
  const row = own(EXPLAIN, (error as { code?: string }).code ?? '')
  return row ? row(config) : `${otherwise}: ${error instanceof Error ? error.message : String(error)}`
}

const announce = ({ url, project, keyFile, console }: Service, { personalApiKey, staticDir }: Config) => {
  const release = readRelease(staticDir)
  say('')
  say(`  Trailmark is ready at ${url}`)
  say(`  Project ${project.id}, token ${project.token}`)
  say(
    `  Personal API key: ${keyFile ?? (personalApiKey ? 'from the environment (TRAILMARK_PERSONAL_API_KEY)' : 'created by another process. "trailmark key rotate \'first key\'" replaces it')}`,
  )
  if ('link' in console) {
    say(`  Console: ${console.link}`)
    say('    This link signs in once, within 15 minutes. "trailmark console" prints a new one.')
  } else say(`  Console: ${console.problem}`)
  if (release?.files[CORE]) {
    say(`  Script: ${url}/static/${release.version}/${CORE}`)
    say(`    integrity="${release.files[CORE].integrity}" crossorigin="anonymous"`)
  }
  say('  Stop with Ctrl-C.')
  say('')
  // For programs that start the service. The format of this line is stable.
  say(
    `trailmark ready ${JSON.stringify({ url, projectId: project.id, token: project.token, keyFile: keyFile ?? null, console })}`,
  )
}

const beginDev = (
  { url, project, console }: Service,
  { personalApiKey = '', dataDir }: Config,
  { isJson }: Pick<Dev, 'isJson'>,
) => {
  const service = { url, token: project.token, key: personalApiKey, projectId: project.id }
  announceDev({ ...service, data: dataDir, console: 'link' in console ? console.link : undefined }, isJson, say)
  watchRejected(service, isJson, say)
}

// Files are readable by their owner only: they contain hashes of keys and the engine's passwords.
process.umask(0o077)

// Returns the passwords in a URL, for the log to redact. Generated secrets are recognized by their format.
const passwordsIn = (address: string | undefined): string[] => {
  if (!address) return []
  const { password, searchParams } = new URL(address)
  return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
}
const secretsOf = ({ personalApiKey, clickhouseUrl, databaseUrl }: Config): string[] => [
  personalApiKey ?? '',
  ...(clickhouseUrl?.split(',') ?? []).flatMap(passwordsIn),
  ...passwordsIn(databaseUrl),
]

const logOf = (config: Config) =>
  createLog({ format: config.logFormat, level: config.logLevel, secrets: secretsOf(config) })

const library = () => engineLibrary(thisMachine(createRequire(import.meta.url).resolve))

const CHILD = here('./storage/embedded/child.js')
const MAP_WORKER = here('./errorTracking/mapWorker.js')

// Loaded when a command needs it, so that other commands start faster.
const loadSchema = async () => (await import('./modules.ts')).SCHEMA

/** Runs a command other than `serve`. */
const doCommand = async (args: readonly string[], config: Config) => {
  try {
    const { lines, data, isJson } = await runCommand(args, {
      dataDir: config.dataDir,
      env: process.env,
      scopes: SCOPES,
      clickhouseUrl: config.clickhouseUrl,
      databaseUrl: config.databaseUrl,
      clickhouseCluster: config.clickhouseCluster,
      loadSchema,
      startEngine: async (dataDir) =>
        startEngine({
          dataDir: join(dataDir, 'engine'),
          library: library(),
          child: CHILD,
          memoryBytes: config.engineMemoryBytes,
          isSmall: config.isSmall,
          diskReserveBytes: config.diskReserveBytes,
          tables: (await loadSchema()).tables.map(({ name }) => name),
          log: logOf(config),
        }),
    })
    for (const line of isJson ? [JSON.stringify(data, null, 2)] : lines) say(line)
  } catch (error) {
    if (error instanceof CommandError || error instanceof ApiError) return fail(error.message)
    fail(explain(error, config, `${args[0]} failed`))
  }
}

/** Reads the arguments of `serve` as variables, over which they win: `--data <folder>` and `--small`. */
const readServeArguments = (args: readonly string[]): { TRAILMARK_DATA?: string; TRAILMARK_SMALL?: string } => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { data: { type: 'string' }, small: { type: 'boolean' } },
      strict: true,
    })
    return {
      ...(values.data === undefined ? {} : { TRAILMARK_DATA: values.data }),
      ...(values.small ? { TRAILMARK_SMALL: '1' } : {}),
    }
  } catch (error) {
    return fail(
      `${(error as Error).message.split('. ')[0]}. Usage: trailmark serve [--data <folder>] [--small]. Other settings come from the environment: see "trailmark --help".`,
    )
  }
}

/** Splits the command off the arguments. Arguments that start with an option belong to `serve`. */
const commandOf = (args: readonly string[]): { command: string; rest: readonly string[] } => {
  const [first = 'serve', ...rest] = args
  return first.startsWith('--') ? { command: 'serve', rest: args } : { command: first, rest }
}

const main = async (args: readonly string[]) => {
  const { command, rest } = commandOf(args)
  if (args[0] === '--version')
    return say((JSON.parse(readFileSync(here('../package.json'), 'utf8')) as { version: string }).version)
  if (command === 'help' || args.includes('--help') || args.includes('-h')) return say(HELP)

  let config: Config
  let dev: Dev | undefined
  try {
    dev = command === 'dev' ? readDev(rest, process.env) : undefined
    const serveArguments = command === 'serve' ? readServeArguments(rest) : {}
    config = readConfig(
      { ...process.env, ...serveArguments, ...dev?.variables },
      {
        // The npm package of the service contains the SDK's scripts.
        staticDir: existsSync(here('../static')) ? here('../static') : here('../../dist'),
        consoleDir: here('../console/dist'),
        docsDir: existsSync(here('../docs')) ? here('../docs') : here('../../site/dist'),
      },
    )
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CommandError) return fail(error.message)
    throw error
  }
  if (command !== 'serve' && !dev) return doCommand(args, config)
  // With external stores, the data folder has only the file of the first key. With a key from the environment, it has none.
  if (!isOneOfMany(config) || !config.personalApiKey) prepareDataDir(config.dataDir)

  // Loaded here so that other commands start faster.
  const { startService } = await import('./service.ts')
  const log = logOf(config)
  for (const warning of unknownVariables(process.env)) log(warning, { level: 'warn' })
  const tell = dev?.isJson ? () => {} : say
  const starting = startService({
    config,
    engineLibrary: library,
    engineChild: CHILD,
    recordingThread: here('./recordings/threadProgram.js'),
    mapWorker: MAP_WORKER,
    progress: tell,
    log,
  })

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    tell('Stopping …')
    // Waits for a start in progress, so that everything it has started is stopped.
    const stopped = await within(
      starting.then((service) => service.stop()).then(() => true),
      STOP_TIMEOUT_MS,
      false,
    ).catch(() => false)
    if (!stopped) return fail(`could not stop within ${STOP_TIMEOUT_MS / 1000} s. All acknowledged events are stored.`)
    tell('Stopped.')
    process.exit(0)
  }
  process.on('SIGINT', () => void stop())
  process.on('SIGTERM', () => void stop())
  dev?.watchParent(() => void stop())
  process.on('unhandledRejection', (reason) =>
    log(`Unexpected: ${reason instanceof Error ? reason.stack : String(reason)}`, { level: 'error' }),
  )

  try {
    const service = await starting
    if (dev) beginDev(service, config, dev)
    else announce(service, config)
  } catch (error) {
    fail(explain(error, config, 'could not start'))
  }
}

await main(process.argv.slice(2))
