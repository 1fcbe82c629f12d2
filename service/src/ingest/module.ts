import type { AnyModule, Module } from '../module.ts'
import { openPlaces, type PlaceOf, type Places } from './places.ts'
import { createGroupTypes } from './groupTypes.ts'
import { createIngest } from './ingest.ts'
import { CAPTURE_ROUTES, type CaptureParts } from './routes/capture.ts'
import { rejectedEventRoutes, type RejectedEventParts } from './routes/rejectedEvents.ts'
import { STORING } from './storing.ts'

const REFRESH_MS = 60_000

/** Returns the lookup of places. Without cities, of countries only. */
const placesOf = ({ placeOf }: Places, hasCities: boolean): PlaceOf =>
  hasCities
    ? placeOf
    : (address) => {
        const { country } = placeOf(address) ?? {}
        return country === undefined ? undefined : { country }
      }

/** Returns the module that takes events and passes them to the sinks and enrichers of `modules`. `codes`: the codes of all rejections. */
export const captureFor = (
  modules: readonly AnyModule[],
  codes: readonly string[],
): Module<CaptureParts & RejectedEventParts & { readonly places: Places }> => ({
  create({ config, metadata, metrics, slices, rejections, log, use }) {
    const places = openPlaces(config.geoipFiles ?? [], log)
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
        placeOf: placesOf(places, config.hasCities),
        count: metrics.count,
      }),
      rejectedEvents,
      places,
    }
  },
  jobs: ({ places }) => [{ name: 'places', everyMs: REFRESH_MS, run: places.refresh }],
  routes: [...CAPTURE_ROUTES, ...rejectedEventRoutes(codes)],
})
