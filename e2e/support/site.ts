import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

export interface Site {
  url: string
  host: string
  /** Sets the page at a path. */
  page(path: string, html: string, headers?: Record<string, string>): void
  /** Returns the number of requests for a path. */
  visits(path: string): number
  stop(): Promise<void>
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.css': 'text/css',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
}

/** Ports of the sites of this process. Tests select events by host, and the system reuses ports. */
const usedPorts = new Set<number>()

/** Listens on a free port that no site of this process had, and returns the port. */
const listen = async (server: Server): Promise<number> => {
  for (;;) {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    if (!usedPorts.has(port)) {
      usedPorts.add(port)
      return port
    }
    await new Promise((done) => server.close(done))
  }
}

/** Starts a web server on a free port with the pages of a test, and folders by path prefix. `name`: its host name, a loopback name. */
export const startSite = async (folders: Record<string, string> = {}, name = 'localhost'): Promise<Site> => {
  const visits = new Map<string, number>()
  const pages = new Map<string, { html: string; headers: Record<string, string> }>()

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    visits.set(path, (visits.get(path) ?? 0) + 1)
    const page = pages.get(path)
    if (page)
      return response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...page.headers }).end(page.html)
    const prefix = Object.keys(folders).find((each) => path.startsWith(each))
    const wanted = prefix && join(folders[prefix]!, normalize(path.slice(prefix.length)))
    const file =
      wanted && existsSync(wanted) && extname(wanted)
        ? wanted
        : wanted && existsSync(join(folders[prefix]!, 'index.html'))
          ? join(folders[prefix]!, 'index.html')
          : undefined
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
    return createReadStream(file).pipe(response)
  }
  const server = createServer(serve)
  const host = `${name}:${await listen(server)}`
  return {
    url: `http://${host}`,
    host,
    page: (path, html, headers = {}) => void pages.set(path, { html, headers }),
    visits: (path) => visits.get(path) ?? 0,
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
}
