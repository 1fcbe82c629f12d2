import { createServer } from 'node:net'

// Below the ephemeral port ranges (Linux from 32768, macOS from 49152): an ephemeral port could be taken
// between this check and listening, or while a server that will return to its port is down.
const [FIRST, LAST] = [10_000, 32_000]

// Each Jest worker has its own range of ports, because a chosen port stays free until the server listens, seconds
// later.
const WORKERS = 8
const PER_WORKER = Math.floor((LAST - FIRST) / WORKERS)
const first = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PER_WORKER
const chosen = new Set<number>()

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const probe = createServer().once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })

/** Returns a free port of this machine, another one at each call. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + Math.floor(Math.random() * PER_WORKER)
    if (chosen.has(port) || !(await isFree(port))) continue
    chosen.add(port)
    return port
  }
}
