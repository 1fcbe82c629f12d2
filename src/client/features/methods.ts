import type { MethodPath } from '../notYet'
import { type Api, METHODS as CORE, type Methods } from '../publicApi'
import { EXCEPTION_METHODS } from './exceptions'
import { FLAG_METHODS } from './flags'
import { GROUP_METHODS } from './groups'
import { PAGEVIEW_METHODS } from './pageviews'
import { RECORDING_METHODS } from './recording'
import { SURVEY_METHODS } from './surveys'
import { TOOLBAR_METHODS } from './toolbar'

/** All methods that need a running client. One of `Api` without a row is a compile error. Builds that lack features have them too. */
export const METHODS: Methods = {
  ...CORE,
  ...EXCEPTION_METHODS,
  ...FLAG_METHODS,
  ...GROUP_METHODS,
  ...PAGEVIEW_METHODS,
  ...RECORDING_METHODS,
  ...SURVEY_METHODS,
  ...TOOLBAR_METHODS,
} satisfies Record<MethodPath<Omit<Api, 'surveys'>>, unknown>
