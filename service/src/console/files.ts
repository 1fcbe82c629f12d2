import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../lib/apiError.ts'
import { DOCUMENT_HEADERS } from '../http/console.ts'
import type { RouteResponse } from '../http/route.ts'
import type { ConsoleFiles } from './console.ts'
import { own } from '../lib/own.ts'
import { readRelease } from '../statics/statics.ts'

/** Where the console's page and files are served, below `base`. */
export const CONSOLE_PATH = '/console/'

const SHELL = 'index.html'
// The build puts a hash of their content into the names of these files, so they never change.
const HASHED = 'assets/'

const BASE_ELEMENT = /<base href="[^"]*"\s*\/?>/

const HTML = 'text/html; charset=utf-8'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trailmark console</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the repository of this service, then reload this page.</p>
</html>
`

// Without it, the page would have to ask for the package, and browsers log a missing one as an error.
const NO_PACKAGE = '<meta name="trailmark-package" content="missing">'

interface Folders {
  readonly folder: string
  readonly base: string
  /** Folder of the SDK's scripts. The full build puts the package there. */
  readonly staticDir: string
}

/**
 * Serves the built console of a folder: its files, and its page for every other path. The page says whether the package of
 * the SDK is built.
 */
export const createConsoleFiles = ({ folder, base, staticDir }: Folders): ConsoleFiles => {
  const isBuilt = () => existsSync(join(folder, SHELL))
  const hasPackage = () => {
    const release = readRelease(staticDir)
    return !!release && existsSync(join(staticDir, `trailmark-${release.version}.tgz`))
  }
  const isFile = (path: string) =>
    /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.\w+$/.test(path) && path !== SHELL && existsSync(join(folder, path))

  return {
    isBuilt,
    async respond(path): Promise<RouteResponse> {
      if (!isBuilt()) return { status: 503, headers: { 'content-type': HTML }, body: NOT_BUILT }
      if (isFile(path)) {
        const cache = path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache'
        return {
          file: path,
          root: folder,
          headers: { 'cache-control': cache, ...own(DOCUMENT_HEADERS, path) },
        }
      }
      if (path.startsWith(HASHED)) throw new ApiError('not_found')
      const page = await readFile(join(folder, SHELL), 'utf8')
      return {
        headers: { 'content-type': HTML },
        body: page.replace(BASE_ELEMENT, `<base href="${base}${CONSOLE_PATH}">${hasPackage() ? '' : NO_PACKAGE}`),
      }
    },
  }
}
