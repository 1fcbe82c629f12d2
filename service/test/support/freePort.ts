import { createServer } from 'node:net'

// Below the ports that systems give to outgoing connections (Linux from 32768 on, macOS from 49152): one of those may be taken
// between this look and the listening, or while a server that is to come back to its port is down.
const [FIRST, LAST] = [10_000, 32_000]

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const probe = createServer().once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })

/** A port of this machine that nobody listens on. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (await isFree(port)) return port
  }
}
