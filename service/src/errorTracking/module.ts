import type { CompiledRule } from './matchRules.ts'
import type { Module } from '../module.ts'
import { errorTools } from './agentTools.ts'
import { STACKS_PER_ISSUE } from './assignStacks.ts'
import { stackOf } from './enrichStack.ts'
import { createFingerprintRules, type FingerprintRules } from './fingerprintRules.ts'
import { createIssues } from './issues.ts'
import { createMapper } from './mapper.ts'
import { EXCEPTION_SETTINGS } from './remoteSettings.ts'
import { ERROR_TRACKING_ROUTES, type ErrorTrackingParts } from './routes.ts'
import { SOURCE_MAP_SCHEMA } from './schema.ts'
import { createSourceMaps } from './sourceMaps.ts'
import { createErrorTrackingStore } from './store.ts'

/**
 * Issues of exceptions, their rules and source maps.
 *
 * An issue is computed from stacks, not from events. When an exception is stored, it gets the id of its stack: a hash of
 * everything that a fingerprint can depend on, before source maps. The first request that finds a new stack reads one of
 * its events, applies the source maps and stores the stack's fingerprint. The metadata store maps fingerprints to
 * issues, so merging and splitting issues rewrites no event, and a source map that comes late only computes the
 * fingerprints of its stacks again. Counts, people and releases are read from the events. Grouping rules can depend on
 * the message and on mapped frames. So ingest stores which rules an exception matches apart from its frames, which also
 * distinguishes its stack, and the first request checks the frames of those rules.
 */
export const ERROR_TRACKING: Module<ErrorTrackingParts & { readonly fingerprintRules: FingerprintRules }> = {
  create({ config, gate, queryRows, metadata, metrics, programs, turns, onStop, log }) {
    const mapper = createMapper(programs.sourceMaps, turns)
    onStop(mapper.close)
    const store = metadata.store(createErrorTrackingStore)
    const sourceMaps = createSourceMaps({ queryRows, storage: gate.ingest, store, mapper })
    const fingerprintRules = createFingerprintRules(metadata)
    const countOverflow = metrics.counter('trailmark_error_stacks_overflow_total')
    const issues = createIssues({
      queryRows,
      store,
      sourceMaps,
      rules: fingerprintRules,
      limits: { issues: config.errorIssues, stacks: config.errorIssues * STACKS_PER_ISSUE },
      onOverflow: (projectId, stacks) => {
        countOverflow(stacks)
        log(
          `Project ${projectId} has reached its limit of ${config.errorIssues} issues (TRAILMARK_ERROR_ISSUES). New exceptions share one issue.`,
          { level: 'warn', project: projectId, stacks },
        )
      },
    })
    return { sourceMaps, fingerprintRules, issues }
  },
  routes: ERROR_TRACKING_ROUTES,
  agentTools: errorTools,
  schema: SOURCE_MAP_SCHEMA,
  metrics: {
    trailmark_error_stacks_overflow_total: {
      type: 'counter',
      labels: [],
      help: 'Stacks added to the shared issue because the project has reached TRAILMARK_ERROR_ISSUES.',
    },
  },
  remoteSettings: EXCEPTION_SETTINGS,
  enricher:
    ({ fingerprintRules }) =>
    async (projects) => {
      const rules = new Map<string | undefined, readonly CompiledRule[]>()
      for (const [token, projectId] of projects) rules.set(token, await fingerprintRules.compiled(projectId))
      return (properties, token) => stackOf(properties, rules.get(token) ?? [])
    },
}
