import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'

// Only in isolated pages does `performance.now()` have a resolution of 5 µs instead of 100 µs.
// https://developer.mozilla.org/docs/Web/API/Performance_API/High_precision_timing
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

/**
 * Starts a web server with `pages` (HTML by path) and the files of `folders` (by prefix of the path, such as /bundles/).
 * Nothing is cached.
 */
export const startSite = async (pages, folders) => {
  const fileOf = (path) => {
    const [prefix, folder] = Object.entries(folders).find(([prefix]) => path.startsWith(prefix)) ?? []
    const file = prefix && join(folder, normalize(path.slice(prefix.length)))
    return file && existsSync(file) ? file : undefined
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://site')
    if (pages[pathname])
      return response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...ISOLATED }).end(pages[pathname])
    const file = fileOf(pathname)
    if (!file) return response.writeHead(204).end()
    return response
      .writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store', ...ISOLATED })
      .end(readFileSync(file))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
