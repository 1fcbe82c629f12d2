// The engine's process: `node child.js <library> <argument>…`. The library's entry point runs until the process ends.
import { constants, openSync } from 'node:fs'
import { constants as os, getPriority, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import ffi from 'ffi-rs'

const { I32, String: Text, StringArray, External } = ffi.DataType

ffi.open({ library: 'libc', path: process.platform === 'darwin' ? '/usr/lib/libSystem.B.dylib' : 'libc.so.6' })
const libc = (funcName: string, retType: typeof I32 | typeof Text, ...paramsValue: number[]) =>
  ffi.load({ library: 'libc', funcName, retType, paramsType: paramsValue.map(() => I32), paramsValue }) as unknown

// Queries use every core. The service's event loop, which has short turns, must not wait for them. Threads inherit this.
setPriority(Math.min(os.priority.PRIORITY_LOW, getPriority() + 5))

// The pipe to the service. Standard input is replaced below.
const pipe = libc('dup', I32, 0) as number

// Without a terminal as its input, the engine exits when any client resets a connection, such as an aborted query.
// With a terminal it logs the error and continues, as a ClickHouse server does
// (https://github.com/ClickHouse/ClickHouse/issues/115666). So its input is a pseudoterminal.
try {
  const terminal = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY)
  libc('grantpt', I32, terminal)
  libc('unlockpt', I32, terminal)
  libc('dup2', I32, openSync(libc('ptsname', Text, terminal) as string, constants.O_RDWR | constants.O_NOCTTY), 0)
} catch (error) {
  console.error(
    `The engine has no terminal. It will exit when a connection is reset, and the service will restart it. ${(error as Error).message}`,
  )
}

// The engine never returns from its call on the main thread, so a second thread watches the pipe to the service. When
// the service ends in any way, the pipe closes and this thread ends the engine.
const WATCH = `
  const { readSync } = require('node:fs')
  const byte = Buffer.alloc(1)
  for (;;) {
    try {
      if (readSync(${pipe}, byte) === 0) break
    } catch (error) {
      if (error.code !== 'EAGAIN') break
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
  process.kill(process.pid, 'SIGKILL')
`
new Worker(WATCH, { eval: true })

const [library, ...rest] = process.argv.slice(2)
// Progress output would fill the buffer of the terminal, which nothing reads.
const args = ['clickhouse-local', '--interactive', '--progress=off', '--progress-table=off', ...rest]
ffi.open({ library: 'engine', path: library! })
ffi.load({
  library: 'engine',
  funcName: 'chdb_query_cmdline',
  retType: External,
  paramsType: [I32, StringArray],
  paramsValue: [args.length, args],
})
// Returns only if the engine could not start. The reason is on stderr. `process.exit` would wait for the second thread.
process.kill(process.pid, 'SIGKILL')
