import type { AnyModule, Module } from '../module.ts'
import { readCountries } from './countries.ts'
import { createGroupTypes } from './groupTypes.ts'
import { createIngest } from './ingest.ts'
import { CAPTURE_ROUTES, type CaptureParts } from './routes/capture.ts'
import { rejectedEventRoutes, type RejectedEventParts } from './routes/rejectedEvents.ts'
import { STORING } from './storing.ts'

/** Returns the module that takes events and passes them to the sinks and enrichers of `modules`. `codes`: the codes of all rejections. */
export const captureFor = (
  modules: readonly AnyModule[],
  codes: readonly string[],
): Module<CaptureParts & RejectedEventParts> => ({
  create({ config, metadata, metrics, slices, rejections, use }) {
    const { writer, rejectedEvents } = use(STORING)
    return {
      ingest: createIngest({
        projectByToken: metadata.projects.byToken,
        groupTypes: createGroupTypes(metadata),
        writer,
        rejectedEvents,
        rejections,
        sinks: modules.flatMap((module) => module.ingestSink?.(use(module) as never) ?? []),
        refusers: modules.flatMap((module) => module.refuser?.(use(module) as never) ?? []),
        enrichers: modules.flatMap((module) => module.enricher?.(use(module) as never) ?? []),
        slices,
        countryOf: config.geoipFile ? readCountries(config.geoipFile) : () => undefined,
        count: metrics.count,
      }),
      rejectedEvents,
    }
  },
  routes: [...CAPTURE_ROUTES, ...rejectedEventRoutes(codes)],
})
