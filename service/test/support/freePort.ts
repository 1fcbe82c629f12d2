import { createServer } from 'node:net'

// Below the ephemeral port ranges (Linux from 32768, macOS from 49152): an ephemeral port could be taken
// between this check and listening, or while a server that will return to its port is down.
const [FIRST, LAST] = [10_000, 32_000]

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const probe = createServer().once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })

/** Returns a free port of this machine. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (await isFree(port)) return port
  }
}
