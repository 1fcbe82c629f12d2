import type { AnyModule, Module } from '../module.ts'
import { PEOPLE } from '../persons/module.ts'
import { PROJECTS } from '../projects/module.ts'
import { createFlagsHandler } from './flags.ts'
import { combineFlags } from './flagSource.ts'
import { createLocalEvaluation } from './localEvaluation.ts'
import { FLAGS } from './module.ts'
import { createFlagQuota } from './quota.ts'
import { createRemoteConfigs, schemasOf, SDK_SETTINGS } from './remoteConfig.ts'
import type { RemoteSettings } from './remoteSetting.ts'
import { EVALUATION_ROUTES, type EvaluationParts } from './routes/evaluation.ts'
import { OFREP_ROUTES, type OfrepParts } from './routes/ofrep.ts'
import { PERSON_FLAG_ROUTES, type PersonFlagParts } from './routes/personFlags.ts'
import { remoteConfigRoutes, type RemoteConfigParts } from './routes/remoteConfig.ts'

const settingsOf = (modules: readonly AnyModule[]): RemoteSettings => ({
  ...SDK_SETTINGS,
  ...Object.fromEntries(modules.flatMap(({ remoteSettings = {} }) => Object.entries(remoteSettings))),
})

/** Returns the module that evaluates the flags of projects and `modules`, and configures SDKs. */
export const evaluationWith = (
  modules: readonly AnyModule[],
): Module<EvaluationParts & OfrepParts & RemoteConfigParts & PersonFlagParts> => ({
  create({ config, keys, metadata, slices, use }) {
    const { flags: definitions, stored } = use(FLAGS)
    const sources = modules.flatMap((module) => module.flagSource?.(use(module) as never) ?? [])
    const remoteConfigs = createRemoteConfigs(metadata, definitions, settingsOf(modules), sources)
    return {
      flags: definitions,
      persons: use(PEOPLE).persons,
      projectByToken: metadata.projects.byToken,
      keyBySecret: keys.bySecret,
      remoteConfigs,
      localEvaluation: createLocalEvaluation({ definitions, metadata }),
      handleFlags: createFlagsHandler({
        definitions,
        remoteConfigs,
        moduleFlags: combineFlags(sources),
        stored,
        hasQuota: createFlagQuota(config.flagsPerMinute),
        slices,
        onEvaluated: use(PROJECTS).setup.noteFlagEvaluation,
      }),
    }
  },
  routes: [
    ...EVALUATION_ROUTES,
    ...OFREP_ROUTES,
    ...remoteConfigRoutes(schemasOf(settingsOf(modules))),
    ...PERSON_FLAG_ROUTES,
  ],
})
