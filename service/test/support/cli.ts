import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const MAIN = resolve(__dirname, '../../dist/main.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `trailmark <words>` on the data folder `data` until it exits. */
export const trailmark = (data: string, ...words: string[]): Promise<Ended> =>
  trailmarkIn({ TRAILMARK_DATA: data }, ...words)

/** Like `trailmark`, with environment variables. */
export const trailmarkIn = async (env: Readonly<Record<string, string>>, ...words: string[]): Promise<Ended> => {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TRAILMARK_|CLICKHOUSE_|DATABASE_URL$)/.test(name)),
  )
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, stdout, stderr }
}

/** Like `trailmark`, with `--json`: returns the parsed output. Rejects with the error output on failure. */
export const trailmarkJson = async (data: string, ...words: string[]): Promise<any> => {
  const { code, stdout, stderr } = await trailmark(data, ...words, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
