/**
 * Preloaded into the service (`node --import`): appends a line to the file `TURNS_FILE` for each turn of the event loop
 * that took much processor time: the time in ms. Wall time also counts the work of other processes on a busy machine, processor time does not.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'

// What passes between two samples is one turn, or several that take no longer than this together.
const RESOLUTION_MS = 1
const LEAST_MS = 15

const { TURNS_FILE: file } = process.env
// The engine's processes are not measured.
delete process.env.TURNS_FILE
delete process.env.NODE_OPTIONS

// Its first number is the time for which this thread was on a processor, in ns. Only Linux has it.
const schedstat = openSync('/proc/thread-self/schedstat')
const buffer = Buffer.alloc(64)
const readCpuMs = () =>
  Number(buffer.toString('latin1', 0, readSync(schedstat, buffer, 0, buffer.length, 0)).split(' ')[0]) / 1e6

let cpuMs = readCpuMs()
setInterval(() => {
  const now = readCpuMs()
  if (now - cpuMs > LEAST_MS) appendFileSync(file, `${now - cpuMs}\n`)
  cpuMs = now
}, RESOLUTION_MS).unref()
