import type { Module } from '../module.ts'
import { PEOPLE } from '../persons/module.ts'
import { createStoredProperties, type StoredProperties } from '../persons/storedProperties.ts'
import { flagTools } from './agentTools.ts'
import { createFlagDefinitions } from './definitions.ts'
import { createEarlyAccess } from './earlyAccess.ts'
import { createFindFlagMatches } from './matches.ts'
import { EARLY_ACCESS_ROUTES, type EarlyAccessParts } from './routes/earlyAccess.ts'
import { FLAG_ROUTES, type FlagParts } from './routes/flags.ts'
import { createFlagTester } from './tester.ts'

/** Definitions of feature flags and early access features, and their tests. */
export const FLAGS: Module<FlagParts & EarlyAccessParts & { readonly stored: StoredProperties }> = {
  create({ gate, metadata, slices, use }) {
    const { persons } = use(PEOPLE)
    const definitions = createFlagDefinitions(metadata)
    const stored = createStoredProperties(gate.lookups, metadata)
    return {
      flags: definitions,
      stored,
      testFlag: createFlagTester({ definitions, settings: metadata.settings, stored, persons, slices }),
      findFlagMatches: createFindFlagMatches({ definitions, persons, stored, slices }),
      earlyAccess: createEarlyAccess(metadata, definitions),
      projectByToken: metadata.projects.byToken,
    }
  },
  routes: [...FLAG_ROUTES, ...EARLY_ACCESS_ROUTES],
  agentTools: flagTools,
}
