import type { MethodPath } from '../notYet'
import { type Api, METHODS as CORE, type Methods } from '../publicApi'
import { CONSENT_METHODS } from './consent/methods'
import { EXCEPTION_METHODS } from './exceptions/methods'
import { FLAG_METHODS } from './flags/methods'
import { GROUP_METHODS } from './groups/methods'
import { PAGEVIEW_METHODS } from './pageviews/methods'
import { PEOPLE_METHODS } from './people/methods'
import { RECORDING_METHODS } from './recording/methods'
import { SURVEY_METHODS } from './surveys/methods'
import { TOOLBAR_METHODS } from './toolbar/methods'

/**
 * All methods that need a running client. Builds that lack a feature have its methods too, so that no call of a page
 * throws. One of `Api` without a row is a compile error.
 */
export const METHODS: Methods = {
  ...CORE,
  ...CONSENT_METHODS,
  ...EXCEPTION_METHODS,
  ...FLAG_METHODS,
  ...GROUP_METHODS,
  ...PAGEVIEW_METHODS,
  ...PEOPLE_METHODS,
  ...RECORDING_METHODS,
  ...SURVEY_METHODS,
  ...TOOLBAR_METHODS,
} satisfies Record<MethodPath<Omit<Api, 'surveys'>>, unknown>
