import type { Config } from '../config.ts'
import { createFlagDefinitions } from '../flags/definitions.ts'
import { createEarlyAccess } from '../flags/earlyAccess.ts'
import { createFlagsHandler } from '../flags/flags.ts'
import { createLocalEvaluation } from '../flags/localEvaluation.ts'
import { createFlagQuota } from '../flags/quota.ts'
import { createRemoteConfigs } from '../flags/remoteConfig.ts'
import type { Dependencies } from '../http/route.ts'
import { createStoredProperties } from '../persons/storedProperties.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

type FlagDependencies = Pick<
  Dependencies,
  'flags' | 'earlyAccess' | 'remoteConfigs' | 'localEvaluation' | 'handleFlags'
>

/** Connects the definitions and the evaluation of feature flags. Returns what the routes of flags call. */
export const connectFlags = (config: Config, metadata: Metadata, gate: EngineGate): FlagDependencies => {
  const definitions = createFlagDefinitions(metadata)
  const remoteConfigs = createRemoteConfigs(metadata, definitions)
  return {
    flags: definitions,
    earlyAccess: createEarlyAccess(metadata, definitions),
    remoteConfigs,
    localEvaluation: createLocalEvaluation({ definitions, metadata }),
    handleFlags: createFlagsHandler({
      definitions,
      remoteConfigs,
      stored: createStoredProperties(gate.lookups, metadata),
      hasQuota: createFlagQuota(config.flagsPerMinute),
    }),
  }
}
