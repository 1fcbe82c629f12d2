import { Type } from '@sinclair/typebox'
import { bearerOf } from '../../http/auth.ts'
import { CLOSED } from '../../http/request.ts'
import { type Handler, routesWith } from '../../http/route.ts'
import { TIME } from '../../http/schemas.ts'
import { EMBED_HEADERS, embedPolicy, SHARED_HEADERS } from '../../http/viewer.ts'
import { MAX_PASSWORD } from '../password.ts'
import type { ShareParts } from './management.ts'
import { READER_VIEW, TILE_ANSWER } from './schemas.ts'

const route = routesWith<ShareParts>()

const OPEN = Type.Object(
  {
    token: Type.String({ maxLength: 300 }),
    password: Type.Optional(Type.String({ maxLength: MAX_PASSWORD })),
    view: Type.Optional(Type.String({ maxLength: 300, description: 'The view to renew' })),
  },
  CLOSED,
)

const OPENED = Type.Object({
  view: Type.String({ description: 'Token for the memory of the page' }),
  expires_at: TIME,
  share: READER_VIEW,
})

const HTML = 'text/html; charset=utf-8'

const asset: Handler<ShareParts> = ({ pages }, { params }) => ({
  file: pages.file(params['*']!),
  root: pages.root,
  headers: { 'cache-control': 'public, max-age=31536000, immutable' },
})

/** The pages of shares. They need no key and read no cookie. */
export const VIEWER_ROUTES = [
  route({
    method: 'GET',
    path: '/shared',
    access: 'viewer',
    handler: async ({ pages }) => ({ headers: { 'content-type': HTML, ...SHARED_HEADERS }, body: await pages.html() }),
  }),
  route({ method: 'GET', path: '/shared/*', access: 'viewer', handler: asset }),
  route({
    method: 'GET',
    path: '/embed/:id',
    access: 'viewer',
    async handler({ pages, viewing }, { params }) {
      const policy = embedPolicy(await viewing.originsOf(params.id!))
      return {
        headers: { 'content-type': HTML, ...EMBED_HEADERS, 'content-security-policy': policy },
        body: await pages.html(),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/shared/session',
    access: 'viewer',
    hasSecret: true,
    summary: "Exchange the token of a share's link for a view, which reads the share for ten minutes",
    body: OPEN,
    response: OPENED,
    handler: async ({ viewing }, { body }) => ({ body: await viewing.open(body) }),
  }),
  route({
    method: 'POST',
    path: '/shared/tile',
    access: 'viewer',
    summary: 'Return the result of a tile of a share: {"tile", "values", "dates"}, by a view as bearer',
    body: Type.Unknown(),
    response: TILE_ANSWER,
    handler: async ({ viewing }, { headers, body, signal }) => ({
      body: await viewing.show(bearerOf(headers.authorization), body, signal),
    }),
  }),
]
