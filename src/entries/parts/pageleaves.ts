import { pageleaves as row } from '../../client/features/pageleaves/pageleaves'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const pageleaves: Feature = { ...row, runFeatures }
