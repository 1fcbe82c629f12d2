import { uuidv7 } from '../lib/uuid.ts'
import { remoteConfig } from './remoteConfig.ts'

export interface FlagsQuestion {
  readonly token: string
  /** Whether the answer also says what the service has turned on. */
  readonly withConfig: boolean
  /** The answer's form: 2 is `flags`; anything earlier also gets the older fields. */
  readonly version: number
  /** ms since the epoch. */
  readonly askedAt: number
}

/** The answer to a `/flags` request: no flag is defined, so none is on. */
export const answerFlags = ({ token, withConfig, version, askedAt }: FlagsQuestion) => ({
  flags: {},
  ...(version < 2 ? { featureFlags: {}, featureFlagPayloads: {} } : {}),
  errorsWhileComputingFlags: false,
  requestId: uuidv7(askedAt),
  evaluatedAt: askedAt,
  ...(withConfig ? remoteConfig(token) : {}),
})
