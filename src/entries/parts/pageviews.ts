import { pageviews as row } from '../../client/features/pageviews/pageviews'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const pageviews: Feature = { ...row, runFeatures }
