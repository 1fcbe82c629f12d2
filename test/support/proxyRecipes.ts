import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { transformSync } from 'esbuild'

// The recipes of docs/guides/proxies.md. Express and the real frameworks: test/frameworks.

// Both runners start in the folder of the repository.
const GUIDE = readFileSync('docs/guides/proxies.md', 'utf8')

/** The code of each recipe. */
export const RECIPES = new Map(
  [...GUIDE.matchAll(/^```js (\w+)\n([^]*?)^```/gm)].map(([, name, code]) => [name!, code!]),
)

export type Handler = (request: Request) => Response | Promise<Response>
type Exports = Record<string, any>

/** What a recipe exports, and what it passes to `createServer`. */
interface Recipe {
  exported: Exports
  listener?: RequestListener
}

/** Runs a recipe for a service. `load`: returns a package. */
const run = (name: string, service: string, load: (id: string) => unknown): Recipe => {
  const source = RECIPES.get(name)!.replace('https://events.example.com', service)
  const { code } = transformSync(source, { format: 'cjs' })
  let listener: RequestListener | undefined
  const http = { createServer: (given: RequestListener) => ((listener = given), { listen: () => undefined }) }
  const module = { exports: {} as Exports }
  // oxlint-disable-next-line typescript/no-implied-eval -- runs what the guide tells readers to run
  new Function('require', 'module', 'exports', 'defineEventHandler', code)(
    (id: string) => (id === 'node:http' ? http : load(id)),
    module,
    module.exports,
    (handler: unknown) => handler,
  )
  return { exported: module.exports, listener }
}

/** The address that platforms tell. */
export const IP = '203.0.113.7'

/** How each platform that has `Request` and `Response` calls what a recipe exports. */
const CALLS: Record<string, (exported: Exports) => Handler> = {
  hono: (exported) => exported.app.fetch as Handler,
  next: (exported) => {
    const context = { params: Promise.resolve({ path: ['e'] }) }
    return (request) => exported[request.method](request, context)
  },
  sveltekit: (exported) => {
    const resolve = () => new Response('page', { status: 404 })
    return (request) =>
      exported.handle({ event: { request, url: new URL(request.url), getClientAddress: () => IP }, resolve })
  },
  nuxt: (exported) => (request) => exported.default({ req: Object.assign(request, { ip: IP }) }),
  astro: (exported) => (request) => exported.ALL({ request, clientAddress: IP }),
  workers: (exported) => {
    const waiting: Promise<unknown>[] = []
    const context = { waitUntil: (promise: Promise<unknown>) => waiting.push(promise) }
    return (request) => exported.default.fetch(request, {}, context)
  },
}

/** The recipes that export a handler of the Web. */
export const WEB_RECIPES = Object.keys(CALLS)

/** Returns the handler of a recipe, as its platform calls it. */
export const handlerOf = (name: string, service: string, load: (id: string) => unknown): Handler =>
  CALLS[name]!(run(name, service, load).exported)

/** Returns what the recipe for Node passes to `createServer`. */
export const listenerOf = (service: string, load: (id: string) => unknown): RequestListener =>
  run('node', service, load).listener!
