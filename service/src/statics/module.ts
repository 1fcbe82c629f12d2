import type { Module } from '../module.ts'
import { STATIC_ROUTES, type StaticParts } from './routes.ts'
import { createStatics } from './statics.ts'

/** Scripts of the browser SDK. */
export const STATICS: Module<StaticParts> = {
  create: ({ config }) => ({ statics: createStatics(config.staticDir) }),
  routes: STATIC_ROUTES,
}
