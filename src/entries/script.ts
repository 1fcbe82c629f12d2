import { FEATURES } from '../client/features/features'
import { loadByScript } from './loadByScript'
import { runScript } from './runScript'

// analytics.js: the core and all features.
runScript(FEATURES, (tag) => (config) => loadByScript(tag, () => config.external_scripts_inject_target))
