import { ApiError } from '../lib/apiError.ts'
import { checkOrigins } from '../lib/origins.ts'
import { type Project, type Metadata, TokenTaken } from '../storage/metadata/metadata.ts'
import { graceEnd } from './grace.ts'
import type { Actor } from './keys.ts'
import { generateSecret } from './secret.ts'
import { toTimezone } from './timezone.ts'

export interface ProjectView {
  readonly id: number
  readonly name: string
  /** Public token that browsers send. */
  readonly api_token: string
  readonly timezone: string
  readonly created_at: string
  /** Time until which the previous token stays valid. */
  readonly previous_api_token_until: string | null
  /** Origins of the sites on which the toolbar may open. */
  readonly toolbar_origins: readonly string[]
}

export interface ProjectInput {
  readonly name?: string
  readonly timezone?: string
  /** For new projects only. Absent: generated. */
  readonly api_token?: string
}

export interface ProjectChange {
  readonly name?: string
  readonly timezone?: string
  readonly toolbar_origins?: readonly string[]
}

export interface Projects {
  /** Lists the projects that `actor` can access. */
  list(actor: Actor): Promise<ProjectView[]>
  get(id: number): Promise<ProjectView>
  create(actor: Actor, input: ProjectInput & { readonly name: string }): Promise<ProjectView>
  change(id: number, input: ProjectChange): Promise<ProjectView>
  /** Replaces the token. The previous one stays valid for `graceSeconds`. */
  rotateToken(id: number, graceSeconds: number): Promise<ProjectView>
}

/** Setting of the first project: the token that the environment gave it at the last start. */
const GIVEN_TOKEN = 'given_token'

/** Stores which token the environment gives to a project, so that every process knows that only the environment changes it. */
export const rememberGivenToken = async (
  { settings }: Pick<Metadata, 'settings'>,
  projectId: number,
  token: string | undefined,
): Promise<void> => {
  if (((await settings.get(projectId, GIVEN_TOKEN)) ?? undefined) === token) return
  await settings.set(projectId, GIVEN_TOKEN, token ?? null)
}

const MAX_NAME = 200

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

const tokenTaken = () =>
  new ApiError('name_taken', {
    attr: 'api_token',
    detail: 'Another project has this token, or had it until recently.',
  })

const toView = ({
  id,
  name,
  token,
  timezone,
  createdAt,
  previousTokenUntil,
  toolbarOrigins,
}: Project): ProjectView => ({
  id,
  name,
  api_token: token,
  timezone,
  created_at: createdAt,
  previous_api_token_until: previousTokenUntil ?? null,
  toolbar_origins: toolbarOrigins,
})

const checkedName = (name: string): string => {
  if (!name.trim() || name.length > MAX_NAME)
    throw wrong('name', `"name" must have 1 to ${MAX_NAME} characters and must not be blank.`)
  return name.trim()
}

const checkedTimezone = (given: string): string => {
  const timezone = toTimezone(given)
  if (!timezone)
    throw wrong('timezone', `"${given.slice(0, 60)}" is not an IANA time zone. Use one such as Europe/Berlin or UTC.`)
  return timezone
}

const checkedOrigins = (origins: readonly string[]): readonly string[] => {
  checkOrigins('toolbar_origins', origins)
  return origins
}

const checked = ({ name, timezone, toolbar_origins: origins }: ProjectChange) => ({
  ...(name === undefined ? {} : { name: checkedName(name) }),
  ...(timezone === undefined ? {} : { timezone: checkedTimezone(timezone) }),
  ...(origins === undefined ? {} : { toolbarOrigins: checkedOrigins(origins) }),
})

/** Creates the operations on projects, for the API and the command line. All of them reject with `ApiError`. */
export const createProjects = (
  { projects, settings }: Pick<Metadata, 'projects' | 'settings'>,
  now: () => number = Date.now,
): Projects => {
  const find = async (id: number): Promise<Project> => {
    const project = await projects.byId(id)
    if (!project) throw new ApiError('not_found', { detail: `There is no project ${id}.` })
    return project
  }

  return {
    list: async ({ projectId }) =>
      (await projects.all()).filter(({ id }) => projectId === undefined || id === projectId).map(toView),
    get: async (id) => toView(await find(id)),
    async create(actor, { name, timezone, api_token: token = generateSecret('tm') }) {
      if (actor.projectId !== undefined)
        throw new ApiError('permission_denied', {
          detail:
            'This personal API key belongs to one project. Creating a project requires a key for all projects ("trailmark key create --all-projects").',
        })
      const fields = { ...checked({ name, timezone }), name: checkedName(name) }
      if (!/^[A-Za-z0-9_-]{1,200}$/.test(token))
        throw wrong('api_token', '"api_token" must have 1 to 200 letters, digits, _ and -.')
      if (await projects.byToken(token)) throw tokenTaken()
      try {
        return toView(await projects.create({ ...fields, token }))
      } catch (error) {
        throw error instanceof TokenTaken ? tokenTaken() : error
      }
    },
    async change(id, input) {
      await find(id)
      await projects.change(id, checked(input))
      return toView(await find(id))
    },
    async rotateToken(id, graceSeconds) {
      const { token } = await find(id)
      if ((await settings.get(id, GIVEN_TOKEN)) === token)
        throw wrong('id', 'This token is set by TRAILMARK_PROJECT_TOKEN. Change it there and restart the service.')
      await projects.setToken(id, generateSecret('tm'), graceEnd(graceSeconds, now()))
      return toView(await find(id))
    },
  }
}
