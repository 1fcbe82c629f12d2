import { has } from '../lib/objects'
import type { PartName } from '../parts'
import type { Feature } from './feature'
import { CONSENT_METHODS } from './features/consent/methods'
import { EXCEPTION_METHODS } from './features/exceptions/methods'
import { FLAG_METHODS } from './features/flags/methods'
import { GROUP_METHODS } from './features/groups/methods'
import { PAGEVIEW_METHODS } from './features/pageviews/methods'
import { PEOPLE_METHODS } from './features/people/methods'
import { RECORDING_METHODS } from './features/recording/methods'
import { SURVEY_METHODS } from './features/surveys/methods'
import { TOOLBAR_METHODS } from './features/toolbar/methods'
import type { Methods } from './publicApi'

/** The methods of each part that has some. Only builds that can leave out parts contain this table. */
export const PART_METHODS: Partial<Record<PartName, Methods>> = {
  consent: CONSENT_METHODS,
  exceptions: EXCEPTION_METHODS,
  flags: FLAG_METHODS,
  groups: GROUP_METHODS,
  pageviews: PAGEVIEW_METHODS,
  people: PEOPLE_METHODS,
  recording: RECORDING_METHODS,
  surveys: SURVEY_METHODS,
  toolbar: TOOLBAR_METHODS,
}

/** Returns the missing import of a method, as `needs trailmark/flags`; undefined if none is missing. */
export type Missing = (method: string) => string | undefined

/** Returns a function that names the missing import of a method, given `features`. */
export const missingParts =
  (features: readonly Feature[]): Missing =>
  (method) => {
    const part = Object.entries(PART_METHODS).find(([, methods]) => has(methods, method))?.[0]
    return !part || features.some(({ name }) => name === part) ? undefined : `needs trailmark/${part}`
  }
