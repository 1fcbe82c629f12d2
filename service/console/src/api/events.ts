import type { paths } from './schema.d.ts'

type Body<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { '2XX': { content: { 'application/json': infer Data } } } }
}
  ? Data
  : never

/** An event of a list. Its properties are cut to a bounded size if `is_truncated`. */
export type ApiEvent = Body<'/api/projects/{projectId}/events'>['results'][number]

/** An event or rejected event, as it arrived. */
export type Arrival = Body<'/api/projects/{projectId}/events/live'>['results'][number]
export type RejectedEvent = Extract<Arrival, { type: 'rejected_event' }>

/** An event of one person, with its session. */
export type TimelineEvent = Body<'/api/projects/{projectId}/persons/{id}/events'>['results'][number]

export type Person = Body<'/api/projects/{projectId}/persons/{id}'>
