import { api, dataOf } from '../api/client.ts'
import type { Display } from '../api/dashboards.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../api/inProject.ts'
import type { paths } from '../api/schema.d.ts'
import { toVariableValue, type Variable } from '../ui/sqlEditor/useVariables.ts'

/** A share as the API returns it. */
export type Share = ResponseOf<'/api/projects/{projectId}/shares', 'get'>['results'][number]
export type NewShare = ResponseOf<'/api/projects/{projectId}/shares', 'post'>
type ShareBody = NonNullable<
  paths['/api/projects/{projectId}/shares']['post']['requestBody']
>['content']['application/json']

/** Shared content. */
export type Shared =
  | {
      readonly dashboard: string
      readonly name: string
      readonly version: number
      readonly tiles: readonly { readonly id: string; readonly title: string }[]
    }
  | { readonly endpoint: string; readonly name: string; readonly version: number; readonly display: Display }

/** A variable and its text: one value to pin, or values separated by commas. */
export interface NamedText {
  readonly name: string
  readonly text: string
}

/** Form of a new share. */
export interface ShareDraft {
  readonly title: string
  readonly isLatest: boolean
  /** Ids of the tiles. */
  readonly tiles: readonly string[]
  readonly pins: readonly NamedText[]
  readonly choices: readonly NamedText[]
  /** First day. Empty: the dates of the tiles. */
  readonly from: string
  /** First day that readers may choose. Empty: they may not. */
  readonly min: string
  readonly origins: string
  readonly days: string
  readonly password: string
  readonly note: string
}

export const newDraft = (shared: Shared): ShareDraft => ({
  title: '',
  isLatest: true,
  tiles: 'tiles' in shared ? shared.tiles.map(({ id }) => id) : [],
  pins: [],
  choices: [],
  from: '',
  min: '',
  origins: '',
  days: '30',
  password: '',
  note: '',
})

const DAY_MS = 86_400_000

const named = (list: readonly NamedText[]) => list.filter(({ name, text }) => name.trim() && text.trim())

const valueOf = (variables: readonly Variable[], name: string, text: string): string | number | boolean => {
  const type = variables.find(({ code_name }) => code_name === name)?.type ?? 'String'
  return toVariableValue(type, text) as string | number | boolean
}

/** Returns what a share of the draft shows. */
export const inputOf = (shared: Shared, draft: ShareDraft, variables: readonly Variable[]) => ({
  ...('dashboard' in shared
    ? { dashboard: shared.dashboard, tiles: [...draft.tiles] }
    : { endpoint: shared.endpoint, display: shared.display }),
  version: draft.isLatest ? ('latest' as const) : shared.version,
  variables: Object.fromEntries(
    named(draft.pins).map(({ name, text }) => [name.trim(), valueOf(variables, name.trim(), text.trim())]),
  ),
  allowed_values: Object.fromEntries(
    named(draft.choices).map(({ name, text }) => [
      name.trim(),
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean)
        .map((each) => valueOf(variables, name.trim(), each)),
    ]),
  ),
  ...(draft.from ? { date_range: { from: draft.from, ...(draft.min ? { min: draft.min } : {}) } } : {}),
  ...(draft.title.trim() ? { title: draft.title.trim() } : {}),
})

const bodyOf = (shared: Shared, draft: ShareDraft, variables: readonly Variable[]): ShareBody => ({
  ...inputOf(shared, draft, variables),
  origins: draft.origins.split(/[\s,]+/).filter(Boolean),
  expires_at: new Date(Date.now() + Number(draft.days) * DAY_MS).toISOString(),
  note: draft.note,
  ...(draft.password ? { password: draft.password } : {}),
})

export const listShares = async (projectId: number, shared: Shared, signal: AbortSignal): Promise<readonly Share[]> => {
  const query = 'dashboard' in shared ? { dashboard: shared.dashboard } : { endpoint: shared.endpoint }
  const params = { ...inProject(projectId), query }
  return (await dataOf(api.GET('/api/projects/{projectId}/shares', { params, signal }))).results
}

export const createShare = (
  projectId: number,
  shared: Shared,
  draft: ShareDraft,
  variables: readonly Variable[],
): Promise<NewShare> =>
  dataOf(
    api.POST('/api/projects/{projectId}/shares', {
      params: inProject(projectId),
      body: bodyOf(shared, draft, variables),
    }),
  )

export const previewShare = (
  projectId: number,
  input: ReturnType<typeof inputOf>,
  reader?: unknown,
  signal?: AbortSignal,
) =>
  dataOf(
    api.POST('/api/projects/{projectId}/shares/preview', {
      params: inProject(projectId),
      body: { ...input, ...(reader === undefined ? {} : { reader }) } as never,
      ...(signal ? { signal } : {}),
    }),
  )

export const revokeShare = (projectId: number, id: string) =>
  dataOf(api.DELETE('/api/projects/{projectId}/shares/{id}', { params: inProjectWithId(projectId, id) }))

export const renewLink = (projectId: number, id: string): Promise<NewShare> =>
  dataOf(api.POST('/api/projects/{projectId}/shares/{id}/rotate', { params: inProjectWithId(projectId, id), body: {} }))

export const takeOver = (projectId: number, id: string): Promise<Share> =>
  dataOf(
    api.POST('/api/projects/{projectId}/shares/{id}/take_over', { params: inProjectWithId(projectId, id), body: {} }),
  )

/** Sets the password of a share. null: removes it. */
export const setPassword = (projectId: number, id: string, password: string | null): Promise<Share> =>
  dataOf(
    api.PATCH('/api/projects/{projectId}/shares/{id}', { params: inProjectWithId(projectId, id), body: { password } }),
  )
