import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../../api/inProject.ts'

const ISSUES = '/api/projects/{projectId}/error_tracking/issues'
const ISSUE = `${ISSUES}/{id}` as const

export type IssueList = ResponseOf<typeof ISSUES, 'get'>
export type Issue = IssueList['results'][number]
export type IssueDetails = ResponseOf<typeof ISSUE, 'get'>
export type IssueState = Issue['state']
export type IssueEvent = ResponseOf<
  '/api/projects/{projectId}/error_tracking/issues/{id}/events',
  'get'
>['results'][number]
export type Frame = IssueEvent['exceptions'][number]['frames'][number]

export const STATES: Readonly<Record<IssueState, string>> = {
  active: 'Active',
  resolved: 'Resolved',
  ignored: 'Ignored',
}

export const ORDERS = { last_seen: 'Last seen', first_seen: 'First seen', count: 'Most events' } as const
export type Order = keyof typeof ORDERS

interface ListQuery {
  readonly days: number
  readonly state?: IssueState
  readonly search?: string
  readonly order: Order
  readonly limit: number
  readonly offset: number
}

export const listIssues = (projectId: number, query: ListQuery, signal: AbortSignal) =>
  dataOf(api.GET(ISSUES, { params: { ...inProject(projectId), query }, signal }))

export const getIssue = (projectId: number, id: string, days: number, signal: AbortSignal) =>
  dataOf(api.GET(ISSUE, { params: { ...inProjectWithId(projectId, id), query: { days } }, signal }))

/** A new state. `until_events`: an ignored issue becomes active after this many more events. */
export interface StateChange {
  readonly state: IssueState
  readonly until_events?: number
}

export const setIssueState = (projectId: number, id: string, change: StateChange) =>
  dataOf(api.PATCH(ISSUE, { params: inProjectWithId(projectId, id), body: change }))

export const mergeIssues = (projectId: number, id: string, ids: readonly string[]) =>
  dataOf(api.POST(`${ISSUE}/merge`, { params: inProjectWithId(projectId, id), body: { ids: [...ids] } }))

export const splitIssue = (projectId: number, id: string, fingerprint: string) =>
  dataOf(api.POST(`${ISSUE}/split`, { params: inProjectWithId(projectId, id), body: { fingerprints: [fingerprint] } }))

export const listIssueEvents = (projectId: number, id: string, cursor: string | undefined, signal: AbortSignal) =>
  dataOf(
    api.GET(`${ISSUE}/events`, {
      params: { ...inProjectWithId(projectId, id), query: cursor === undefined ? {} : { cursor } },
      signal,
    }),
  )
