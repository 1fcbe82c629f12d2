import type { Config } from '../config.ts'
import type { FlagDefinitions } from '../flags/definitions.ts'
import { createEarlyAccess } from '../flags/earlyAccess.ts'
import { createFlagsHandler } from '../flags/flags.ts'
import { createLocalEvaluation } from '../flags/localEvaluation.ts'
import { createFindFlagMatches } from '../flags/matches.ts'
import { createFlagQuota } from '../flags/quota.ts'
import { createRemoteConfigs } from '../flags/remoteConfig.ts'
import { createFlagTester } from '../flags/tester.ts'
import type { Dependencies } from '../http/route.ts'
import type { Persons } from '../persons/lookup.ts'
import { createStoredProperties } from '../persons/storedProperties.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Surveys } from '../surveys/surveys.ts'

type FlagDependencies = Pick<
  Dependencies,
  'flags' | 'testFlag' | 'findFlagMatches' | 'earlyAccess' | 'remoteConfigs' | 'localEvaluation' | 'handleFlags'
>

interface FlagsOptions {
  readonly config: Config
  readonly metadata: Metadata
  readonly definitions: FlagDefinitions
  readonly surveys: Pick<Surveys, 'flags' | 'hasRunning'>
  readonly gate: EngineGate
  readonly persons: Persons
  readonly slices: TimeSlices
  /** Called when flags were evaluated for a project. */
  readonly onEvaluated: (projectId: number) => void
}

/** Connects the evaluation of feature flags. Returns what the routes of flags call. */
export const connectFlags = ({
  config,
  metadata,
  definitions,
  surveys,
  gate,
  persons,
  slices,
  onEvaluated,
}: FlagsOptions): FlagDependencies => {
  const stored = createStoredProperties(gate.lookups, metadata)
  const remoteConfigs = createRemoteConfigs(metadata, definitions, surveys)
  return {
    flags: definitions,
    testFlag: createFlagTester({ definitions, settings: metadata.settings, stored, persons, slices }),
    findFlagMatches: createFindFlagMatches({ definitions, persons, stored, slices }),
    earlyAccess: createEarlyAccess(metadata, definitions),
    remoteConfigs,
    localEvaluation: createLocalEvaluation({ definitions, metadata }),
    handleFlags: createFlagsHandler({
      definitions,
      remoteConfigs,
      surveyFlags: surveys.flags,
      stored,
      hasQuota: createFlagQuota(config.flagsPerMinute),
      slices,
      onEvaluated,
    }),
  }
}
