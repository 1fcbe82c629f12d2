import { Type } from '@sinclair/typebox'
import { CLOSED, page } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { pageOf } from '../../http/schemas.ts'
import type { Pages } from '../pages.ts'
import type { Shares } from '../shares.ts'
import type { Standings } from '../standing.ts'
import { toReaderView } from '../view.ts'
import type { Viewing } from '../viewing.ts'
import { CHANGE, CREATE, EMPTY, INPUT_FIELDS, NEW_SHARE, PREVIEW, SHARE } from './schemas.ts'

/** What the routes use. */
export interface ShareParts {
  readonly shares: Shares
  readonly viewing: Viewing
  readonly standings: Standings
  readonly pages: Pages
}

const route = routesWith<ShareParts>()

const SHARES = '/api/projects/:projectId/shares'
const SHARE_PATH = `${SHARES}/:id`

const PREVIEW_INPUT = Type.Object(
  {
    ...INPUT_FIELDS,
    /** Runs a tile as a reader would: {"tile", "values", "dates"}. */
    reader: Type.Optional(Type.Unknown()),
  },
  CLOSED,
)

const NO_STORE = { 'cache-control': 'no-store' }

/** Shares of dashboards and endpoints. */
export const MANAGEMENT_ROUTES = [
  route({
    method: 'GET',
    path: SHARES,
    access: 'share:read',
    summary:
      'List the shares, newest first, of all dashboards and endpoints or of one. Ended ones are kept for 90 days',
    query: { dashboard: Type.String(), endpoint: Type.String() },
    response: pageOf(SHARE),
    handler: async ({ shares }, { projectId, values }) => page(await shares.list(projectId, values)),
  }),
  route({
    method: 'POST',
    path: SHARES,
    access: 'share:write',
    hasSecret: true,
    summary: 'Share tiles of a dashboard, or an endpoint. The response has the token, which is shown only once',
    body: CREATE,
    response: NEW_SHARE,
    handler: async ({ shares }, { projectId, key, body }) => ({
      status: 201,
      headers: NO_STORE,
      body: await shares.create(projectId, key, body),
    }),
  }),
  route({
    method: 'POST',
    path: `${SHARES}/preview`,
    access: 'share:write',
    summary: 'Return what readers of a share would see, or why it cannot be shared, without sharing it',
    body: PREVIEW_INPUT,
    response: PREVIEW,
    async handler({ shares, standings, viewing }, { projectId, key, body: { reader, ...input }, signal }) {
      const definition = await shares.define(projectId, key, input)
      const { shown, reasons } = await standings.ofDefinition(projectId, definition, true)
      const run = { scope: `preview ${key.id}`, keyLabel: key.label, definition, asked: reader, signal }
      const tile = shown && reader !== undefined ? await viewing.runTile({ ...run, shown }) : null
      return { headers: NO_STORE, body: { share: shown ? toReaderView(definition, shown) : null, reasons, tile } }
    },
  }),
  route({
    method: 'GET',
    path: SHARE_PATH,
    access: 'share:read',
    summary: 'Read a share, with its state and why it is suspended',
    response: SHARE,
    handler: async ({ shares }, { projectId, params }) => ({ body: await shares.get(projectId, params.id!) }),
  }),
  route({
    method: 'PATCH',
    path: SHARE_PATH,
    access: 'share:write',
    summary: 'Change the note, origins, expiry or password of a share. A changed password ends open pages',
    body: CHANGE,
    response: SHARE,
    handler: async ({ shares }, { projectId, params, body }) => ({
      body: await shares.change(projectId, params.id!, body),
    }),
  }),
  route({
    method: 'POST',
    path: `${SHARE_PATH}/rotate`,
    access: 'share:write',
    hasSecret: true,
    summary: 'Replace the token of a share. The old link ends, and so do open pages',
    body: EMPTY,
    response: NEW_SHARE,
    handler: async ({ shares }, { projectId, params }) => ({
      headers: NO_STORE,
      body: await shares.rotate(projectId, params.id!),
    }),
  }),
  route({
    method: 'POST',
    path: `${SHARE_PATH}/take_over`,
    access: 'share:write',
    summary: 'Make a share belong to the key of the request, for example before its old key is revoked',
    body: EMPTY,
    response: SHARE,
    handler: async ({ shares }, { projectId, params, key }) => ({
      body: await shares.takeOver(projectId, params.id!, key),
    }),
  }),
  route({
    method: 'DELETE',
    path: SHARE_PATH,
    access: 'share:write',
    summary: 'Revoke a share. It stays in the list for 90 days',
    handler: async ({ shares }, { projectId, params }) => {
      await shares.revoke(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
