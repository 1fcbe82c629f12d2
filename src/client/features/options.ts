import { OPTIONS as CORE, type Row } from '../../config/options'
import type { Config } from '../../types'
import { autocapture } from './autocapture'
import { bots } from './bots'
import { campaign } from './campaign'
import { clicks } from './clicks'
import { consent } from './consent'
import { cookies } from './cookies'
import { device } from './device'
import { exceptions } from './exceptions'
import { flags } from './flags'
import { heatmaps } from './heatmaps'
import { pageleaves } from './pageleaves'
import { pageviews } from './pageviews'
import { recording } from './recording'
import { surveys } from './surveys'
import { toolbar } from './toolbar'
import { vitals } from './vitals'

/** All options. An option of `Config` without a row is a compile error. */
export const OPTIONS: { readonly [K in keyof Config]: Row<Config[K]> } = {
  ...CORE,
  ...autocapture.options,
  ...clicks.options,
  ...bots.options,
  ...campaign.options,
  ...consent.options,
  ...cookies.options,
  ...device.options,
  ...exceptions.options,
  ...flags.options,
  ...heatmaps.options,
  ...pageleaves.options,
  ...pageviews.options,
  ...recording.options,
  ...surveys.options,
  ...toolbar.options,
  ...vitals.options,
}
