import type { Feature } from '../feature'
import { autocapture } from './autocapture'
import { BASE } from './base'
import { bots } from './bots'
import { clicks } from './clicks'
import { exceptions } from './exceptions'
import { flags } from './flags'
import { groups } from './groups'
import { gzip } from './gzip'
import { heatmaps } from './heatmaps'
import { pageleaves } from './pageleaves'
import { pageviews } from './pageviews'
import { people } from './people'
import { recording } from './recording'
import { surveys } from './surveys'
import { toolbar } from './toolbar'
import { vitals } from './vitals'

/** All features, in the order in which they start. */
export const FEATURES: readonly Feature[] = [
  ...BASE,
  bots,
  exceptions,
  pageviews,
  pageleaves,
  clicks,
  autocapture,
  flags,
  groups,
  gzip,
  recording,
  vitals,
  heatmaps,
  surveys,
  toolbar,
  // Remembers what is set of a person after flags have stored it.
  people,
]
