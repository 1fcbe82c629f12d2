import { spawn } from 'node:child_process'

export interface Started {
  /** The line that said it is ready. */
  ready: string
  /** Everything it has said so far. */
  said(): string
  /** Asks it to stop and answers its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a program of ours and waits for the line that says it is ready. What it said until then is in the error. */
export const startProcess = (
  args: readonly string[],
  env: Record<string, string>,
  isReady: (line: string) => boolean,
): Promise<Started> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const exited = new Promise<number | null>((done) => child.once('exit', done))
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${said}`)))
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const ready = said.split('\n').slice(0, -1).find(isReady)
      if (!ready) return
      resolve({
        ready,
        said: () => said,
        stop: (signal = 'SIGTERM') => {
          child.kill(signal)
          return exited
        },
      })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
