/**
 * Preloaded into the service (`node --import`). Appends the CPU time of each expensive turn of the event loop to the file
 * `TURNS_FILE`, one line each, in ms. Unlike wall time, CPU time excludes the work of other processes on a busy machine.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// There is one turn between two samples, or several short ones that take at most this long together.
const RESOLUTION_MS = 1
const MIN_MS = 15

const { TURNS_FILE: file } = process.env
// The engine's processes are not measured.
delete process.env.TURNS_FILE
delete process.env.NODE_OPTIONS

// Its first number is the CPU time of this thread, in ns. Linux only.
const schedstat = openSync('/proc/thread-self/schedstat')
const buffer = Buffer.alloc(64)
const readCpuMs = () =>
  Number(buffer.toString('latin1', 0, readSync(schedstat, buffer, 0, buffer.length, 0)).split(' ')[0]) / 1e6

const record = () => {
  let cpuMs = readCpuMs()
  setInterval(() => {
    const now = readCpuMs()
    if (now - cpuMs > MIN_MS) appendFileSync(file, `${now - cpuMs}\n`)
    cpuMs = now
  }, RESOLUTION_MS).unref()
}

// The service's threads preload this file as well, but their turns block no request.
if (isMainThread) record()
