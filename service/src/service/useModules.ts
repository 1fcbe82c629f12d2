import type { ServedRoute } from '../http/route.ts'
import type { Log } from '../lib/log.ts'
import type { AnyModule, Ground } from '../module.ts'
import { MetadataUnavailable } from '../storage/metadata/metadata.ts'

type Use = Ground['use']

/** Returns the function that creates the parts of a module at its first use. Throws if two modules need each other. */
export const createUse = (ground: Omit<Ground, 'use'>): Use => {
  const created = new Map<object, unknown>()
  const creating = new Set<object>()
  const use: Use = <Parts>(module: { readonly create: (ground: Ground) => Parts }): Parts => {
    if (created.has(module)) return created.get(module) as Parts
    if (creating.has(module)) throw new Error('Two modules need each other.')
    creating.add(module)
    const parts = module.create({ ...ground, use })
    created.set(module, parts)
    return parts
  }
  return use
}

/** Creates all modules. Returns their routes, each with the parts of its module. */
export const serveModules = (modules: readonly AnyModule[], use: Use): ServedRoute[] =>
  modules.flatMap((module) => {
    const parts = use(module) as never
    return (module.routes ?? []).map((route) => ({ ...route, handler: (request) => route.handler(parts, request) }))
  })

/** Starts the jobs of all modules. Returns the function that stops them. */
export const startJobs = (modules: readonly AnyModule[], { use, log }: { use: Use; log: Log }): (() => void) => {
  const timers = modules
    .flatMap((module) => module.jobs?.(use(module) as never) ?? [])
    .map(({ name, everyMs, run }) =>
      setInterval(
        () =>
          void run().catch((error: Error) => error instanceof MetadataUnavailable || log(`${name}: ${error.message}`)),
        everyMs,
      ),
    )
  return () => timers.forEach(clearInterval)
}
