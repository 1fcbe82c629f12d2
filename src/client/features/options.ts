import { OPTIONS as CORE, type Row } from '../../config/options'
import type { Config } from '../../types'
import { autocapture } from './autocapture/autocapture'
import { bots } from './bots/bots'
import { campaign } from './campaign/campaign'
import { clicks } from './clicks/clicks'
import { consent } from './consent/consent'
import { cookies } from './cookies/cookies'
import { device } from './device/device'
import { exceptions } from './exceptions/exceptions'
import { flags } from './flags/flags'
import { heatmaps } from './heatmaps/heatmaps'
import { pageleaves } from './pageleaves/pageleaves'
import { pageviews } from './pageviews/pageviews'
import { recording } from './recording/recording'
import { surveys } from './surveys/surveys'
import { toolbar } from './toolbar/toolbar'
import { vitals } from './vitals/vitals'

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
