// The engine's process: `node child.js <library> <argument>…`. The library's entry point runs until the process ends.
import { Worker } from 'node:worker_threads'
import ffi from 'ffi-rs'

// The engine keeps the main thread inside its call for good, so a second thread watches the pipe whose other end is the
// service: when the service is gone, by whatever death, the pipe ends and so does the engine.
const WATCH = `
  const { readSync } = require('node:fs')
  const byte = Buffer.alloc(1)
  for (;;) {
    try {
      if (readSync(0, byte) === 0) break
    } catch (error) {
      if (error.code !== 'EAGAIN') break
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
  process.kill(process.pid, 'SIGKILL')
`
new Worker(WATCH, { eval: true })

const [library, ...rest] = process.argv.slice(2)
const args = ['clickhouse-local', ...rest]
ffi.open({ library: 'engine', path: library! })
ffi.load({
  library: 'engine',
  funcName: 'chdb_query_cmdline',
  retType: ffi.DataType.External,
  paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
  paramsValue: [args.length, args],
})
// It only comes back when it could not start; its reason is on stderr.
process.exit(1)
