import { autocapture as row } from '../../client/features/autocapture/autocapture'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const autocapture: Feature = { ...row, runFeatures }
