import type { Tile } from '../dashboards/tiles.ts'
import { findEndpoint, findVersion } from '../endpoints/definitions/find.ts'
import type { Choices } from '../endpoints/tokens/choices.ts'
import { DAY_FORMS, dayNames } from '../endpoints/tokens/days.ts'
import { createZone } from '../endpoints/insights/zone.ts'
import { ApiError } from '../lib/apiError.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import { snapshotOf } from './content.ts'
import { shareDays } from './days.ts'
import type { ShareDates, ShareDefinition } from './definition.ts'
import { assertMayShare, type StandingParts } from './standing.ts'

/** Content of a new share, and the choices of its readers. */
export interface ShareInput {
  readonly dashboard?: string
  readonly endpoint?: string
  readonly version?: number | 'latest'
  readonly tiles?: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly allowed_values?: Choices
  readonly date_range?: ShareDates
  readonly display?: Tile['display']
  readonly title?: string
}

/** Returns the definition that a share of the input would have. Rejects with `ApiError`. */
export type Define = (projectId: number, key: ApiKey, input: ShareInput) => Promise<ShareDefinition>

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

const checkNames = ({ variables = {}, allowed_values: choices = {}, date_range: dates }: ShareInput): void => {
  const both = Object.keys(choices).find((name) => Object.hasOwn(variables, name))
  if (both)
    throw wrong('allowed_values', `"${both}" is in "variables" and in "allowed_values". Remove it from one of them.`)
  const days = dates ? Object.values(dayNames(dates)) : []
  const day = days.find((name) => Object.hasOwn(variables, name) || Object.hasOwn(choices, name))
  if (day) throw wrong('date_range', `"${day}" takes dates. Remove it from "variables" and "allowed_values".`)
}

/** Creates the check of what people want to share. */
export const createDefine = (parts: StandingParts): Define => {
  const { metadata, dashboards, now = Date.now } = parts

  const checkDates = async (projectId: number, dates: ShareDates | undefined) => {
    if (!dates) return
    const { timezone } = (await metadata.projects.byId(projectId))!
    if (!shareDays(dates, createZone(timezone), now()))
      throw wrong(
        'date_range',
        `"from", "to", "min" and "max" must each be ${DAY_FORMS}, and the ends must not be before the starts (default: today).`,
      )
  }

  const ofDashboard = async (projectId: number, input: ShareInput): Promise<Partial<ShareDefinition>> => {
    const dashboard = await dashboards.get(projectId, input.dashboard!)
    const { version = 'latest', tiles = dashboard.tiles.map(({ id }) => id) } = input
    const unknown = tiles.find((id) => !dashboard.tiles.some((tile) => tile.id === id))
    if (unknown !== undefined)
      throw wrong('tiles', `The dashboard has no tile "${unknown.slice(0, 100)}". Send the ids of its tiles.`)
    if (!tiles.length) throw wrong('tiles', 'The dashboard has no tiles to share. Add a tile first.')
    if (version !== 'latest' && version !== dashboard.version)
      throw new ApiError('version_conflict', {
        attr: 'version',
        detail: `The current version of this dashboard is ${dashboard.version}. Share that, or "latest".`,
        extra: { current_version: dashboard.version },
      })
    const snapshot = version === 'latest' ? undefined : await snapshotOf(parts, projectId, dashboard, tiles)
    return { kind: 'dashboard', target: dashboard.id, version, tiles, ...(snapshot ? { snapshot } : {}) }
  }

  const ofEndpoint = async (projectId: number, input: ShareInput): Promise<Partial<ShareDefinition>> => {
    if (input.tiles) throw wrong('tiles', 'An endpoint has no tiles. Omit "tiles".')
    const endpoint = await findEndpoint(metadata, projectId, input.endpoint!)
    const { version = 'latest' } = input
    if (version !== 'latest') await findVersion(metadata, endpoint, version)
    return { kind: 'endpoint', target: endpoint.id, endpoint: endpoint.name, version, tiles: [] }
  }

  return async (projectId, key, input) => {
    const { dashboard, endpoint, variables = {}, allowed_values = {}, date_range, display, title } = input
    if ((dashboard === undefined) === (endpoint === undefined))
      throw wrong('dashboard', 'Share either "dashboard", by its id, or "endpoint", by its name.')
    assertMayShare(key, projectId, dashboard === undefined ? 'endpoint' : 'dashboard')
    checkNames(input)
    await checkDates(projectId, date_range)
    const target = await (dashboard === undefined ? ofEndpoint : ofDashboard)(projectId, input)
    return {
      ...(target as ShareDefinition),
      pins: variables,
      choices: allowed_values,
      ...(date_range ? { dates: date_range } : {}),
      ...(display ? { display } : {}),
      ...(title ? { title } : {}),
    }
  }
}
