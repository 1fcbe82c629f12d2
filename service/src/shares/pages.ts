import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../lib/apiError.ts'

/** Page that shows shares, and its files. */
export interface Pages {
  /** Returns the HTML of the page. */
  html(): Promise<string>
  /** Returns the path of a file of the page, below `root`. Throws `ApiError` if it does not exist. */
  file(path: string): string
  readonly root: string
}

const PAGE = 'shared.html'
const BASE_ELEMENT = /<base href="[^"]*"\s*\/?>/
// The build puts a hash of their content into the names of these files.
const ASSET = /^assets\/[\w-][\w.-]*\.(?:js|css|woff2)$/

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Shared by Trailmark</title>
<h1>This page is not built</h1>
<p>Run <code>npm run build</code> in the repository of this service, then reload this page.</p>
</html>
`

/** Reads the page of shares from the directory of the built console. */
export const createPages = ({ folder, base }: { folder: string; base: string }): Pages => ({
  root: folder,
  async html() {
    if (!existsSync(join(folder, PAGE))) return NOT_BUILT
    return (await readFile(join(folder, PAGE), 'utf8')).replace(BASE_ELEMENT, `<base href="${base}/shared/">`)
  },
  file(path) {
    if (!ASSET.test(path) || !existsSync(join(folder, path))) throw new ApiError('not_found')
    return path
  },
})
