import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { RouteResponse } from '../http/route.ts'
import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'

const FIRST_PAGE = 'index.html'
// The build puts a hash of their content into the names of these files, so they never change.
const HASHED = 'assets/'

/**
 * Content security policy of the pages. site/layout.mjs also writes it into the pages, for other sites that publish the
 * files.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types trailmark-docs',
].join('; ')

const HEADERS = {
  'content-security-policy': CSP,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trailmark docs</title>
<h1>The docs are not built</h1>
<p>Run <code>npm run build</code> in the repository of this service, then reload this page.</p>
</html>
`

/** Responds to a path below `/docs/`. */
export type Docs = (path: string) => RouteResponse

/** Serves the built docs of a folder. `base`: path under which a proxy serves the service. */
export const createDocs = ({ folder, base }: { readonly folder: string; readonly base: string }): Docs => {
  const isFile = (path: string) => /^(?:[\w-]+\/)*[\w-]+(?:\.\w+)+$/.test(path) && existsSync(join(folder, path))

  return (path) => {
    if (!existsSync(join(folder, FIRST_PAGE)))
      return { status: 503, headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }, body: NOT_BUILT }
    // Links in pages are relative, so the path of the first page must include its folder.
    if (!path) return { status: 302, headers: { ...HEADERS, location: `${base}/docs/${FIRST_PAGE}` } }
    if (!isFile(path)) throw new ApiError('not_found')
    const type = own(TYPES, extname(path))
    return {
      file: path,
      root: folder,
      headers: {
        ...HEADERS,
        'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
        ...(type ? { 'content-type': type } : {}),
      },
    }
  }
}
