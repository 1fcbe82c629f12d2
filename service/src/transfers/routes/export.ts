import { Type } from '@sinclair/typebox'
import { EVENT_NAMES } from '../../http/lists.ts'
import { explained, orElse } from '../../http/query.ts'
import { invalidInput } from '../../http/request.ts'
import { type Route, routesWith } from '../../http/route.ts'
import { oneOf } from '../../http/schemas.ts'
import { type Exporter, PEOPLE_DATA, type PeopleData } from '../export.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../exportQueries.ts'

/** What the routes use. */
export interface ExportParts {
  readonly exporter: Exporter
}

const route = routesWith<ExportParts>()

const EXPORT = '/api/projects/:projectId/export'

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

const FORMAT = orElse(oneOf(EXPORT_FORMATS), 'jsonl')

const time = (description: string) => Type.String({ description })

/** Returns a time as ISO 8601. Throws `ApiError`. */
const timeOf = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return undefined
  const at = /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? Date.parse(value) : NaN
  if (Number.isNaN(at)) throw invalidInput(name, `"${name}" must be an ISO 8601 time, such as 2026-01-31T00:00:00Z.`)
  return new Date(at).toISOString()
}

const headersOf = (what: string, format: ExportFormat) => ({
  'content-type': MEDIA_TYPES[format],
  'content-disposition': `attachment; filename="${what}.${format}"`,
  'cache-control': 'no-store',
})

const SUMMARIES: Readonly<Record<PeopleData, string>> = {
  persons: 'Export the people of the project with their properties',
  distinct_ids: 'Export all ids with their people, which says which ids were merged',
}

/** Exports of a project's data. */
export const EXPORT_ROUTES: readonly Route<ExportParts>[] = [
  route({
    method: 'GET',
    path: `${EXPORT}/events`,
    access: 'export:read',
    summary: 'Export events, as a stream of any size',
    query: {
      format: FORMAT,
      event: EVENT_NAMES,
      date_from: time('First timestamp'),
      date_to: time('The timestamp before which events are exported'),
      since: time('Only events that were stored after this time'),
      until: explained(time('Only events that were stored until this time. Default: now'), '"until" must be a time.'),
    },
    handler: async ({ exporter }, { projectId, values, receivedAt, signal }) => {
      const until = timeOf('until', values.until) ?? new Date(receivedAt).toISOString()
      const selection = {
        events: values.event,
        from: timeOf('date_from', values.date_from),
        to: timeOf('date_to', values.date_to),
        since: timeOf('since', values.since),
        until,
      }
      return {
        headers: { ...headersOf('events', values.format), 'x-trailmark-until': until },
        body: await exporter.events(projectId, selection, values.format, signal),
      }
    },
  }),
  ...PEOPLE_DATA.map((data) =>
    route({
      method: 'GET',
      path: `${EXPORT}/${data}`,
      access: 'export:read',
      summary: SUMMARIES[data],
      query: { format: FORMAT },
      handler: async ({ exporter }, { projectId, values: { format }, signal }) => ({
        headers: headersOf(data, format),
        body: await exporter.people(projectId, data, format, signal),
      }),
    }),
  ),
  route({
    method: 'GET',
    path: `${EXPORT}/deletions`,
    access: 'export:read',
    summary: 'Export what was erased: hashes of ids, and conditions of deletions',
    handler: async ({ exporter }, { projectId }) => ({
      headers: headersOf('deletions', 'jsonl'),
      body: await exporter.deletions(projectId),
    }),
  }),
]
