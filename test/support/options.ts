import { OPTIONS as CORE, type Row } from '../../src/config/options'
import { FEATURES } from '../../src/client/features/features'
import type { Config } from '../../src/types'

/** All options: those of the core and of each feature. */
export const OPTIONS = Object.assign({}, CORE, ...FEATURES.map(({ options }) => options)) as {
  readonly [K in keyof Config]: Row<Config[K]>
}
