import { spawn } from 'node:child_process'

export interface Started {
  /** The line for which `isReady` returned true. */
  ready: string
  /** Returns the output so far. */
  output(): string
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a Node program and waits for a line of output that `isReady` accepts. If it exits first, rejects with the output. */
export const startProcess = (
  args: readonly string[],
  env: Record<string, string>,
  isReady: (line: string) => boolean,
): Promise<Started> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const exited = new Promise<number | null>((done) => child.once('exit', done))
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} exited with code ${code}:\n${output}`)))
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const ready = output.split('\n').slice(0, -1).find(isReady)
      if (!ready) return
      resolve({
        ready,
        output: () => output,
        stop: (signal = 'SIGTERM') => {
          child.kill(signal)
          return exited
        },
      })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
  })
