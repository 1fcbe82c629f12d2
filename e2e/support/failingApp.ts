import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { ROOT } from './root'
import type { Service, StoredEvent } from './service'

const run = promisify(execFile)

/** Its third line throws. */
const SOURCE = `interface Cart { total: number | null }
export const pay = (cart: Cart): void => {
  if (cart.total === null) throw new RangeError('The cart has no total')
}
document.querySelector('#pay')!.addEventListener('click', () => pay({ total: null }))
`

/** A page whose button throws, at the path of the script that `buildFailingApp` returns. */
export const FAILING_PAGE = '<button id="pay">Pay</button><script src="/checkout.js"></script>'

/** Builds and minifies a script that throws on a click on `#pay`, uploads its source map, and returns its code. */
export const buildFailingApp = async (folder: string, { url, projectId, key }: Service): Promise<string> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'checkout.ts'), SOURCE)
  const out = join(folder, 'out')
  await build({
    entryPoints: [join(folder, 'checkout.ts')],
    outdir: out,
    bundle: true,
    minify: true,
    sourcemap: 'external',
    logLevel: 'error',
  })
  await run(process.execPath, [join(ROOT, 'dist/esm/cli.js'), 'sourcemaps', 'upload', out], {
    cwd: folder,
    env: { ...process.env, TRAILMARK_HOST: url, TRAILMARK_PROJECT_ID: String(projectId), TRAILMARK_API_KEY: key },
  })
  return readFile(join(out, 'checkout.js'), 'utf8')
}

interface Issue {
  id: string
  type: string
}
interface IssueEvent {
  uuid: string
  exceptions: { frames: { filename: string; line: number; is_mapped: boolean; source?: { line: string } }[] }[]
}

/** Returns the innermost frame of an exception as the issue it belongs to shows it. */
export const shownFrame = async ({ api }: Service, { uuid }: StoredEvent) => {
  const { results } = (await api('GET', '/error_tracking/issues?search=The+cart+has+no+total')).body
  for (const { id } of results as Issue[]) {
    const events = (await api('GET', `/error_tracking/issues/${id}/events`)).body.results as IssueEvent[]
    const event = events.find((each) => each.uuid === uuid)
    if (event) return event.exceptions[0]!.frames[0]
  }
  return undefined
}
