import { runFeatures } from '../runFeatures'
import type { Feature } from '../feature'
import { autocapture } from './autocapture/autocapture'
import { BASE } from './base'
import { bots } from './bots/bots'
import { clicks } from './clicks/clicks'
import { exceptions } from './exceptions/exceptions'
import { flags } from './flags/flags'
import { groups } from './groups/groups'
import { gzip } from './gzip/gzip'
import { heatmaps } from './heatmaps/heatmaps'
import { pageleaves } from './pageleaves/pageleaves'
import { pageviews } from './pageviews/pageviews'
import { people } from './people/people'
import { recording } from './recording/recording'
import { surveys } from './surveys/surveys'
import { toolbar } from './toolbar/toolbar'
import { vitals } from './vitals/vitals'

/** All features, in the order in which they start. */
export const FEATURES: readonly Feature[] = [
  ...BASE,
  bots,
  exceptions,
  // One row has to provide `runFeatures`, which starts and stops the features.
  { ...pageviews, runFeatures },
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
