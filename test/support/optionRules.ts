import { FEATURES } from '../../src/client/features/features'
import { MEMBERS, type OptionMembers } from '../../src/config/options'
import type { OptionRules } from '../../src/config/settings'

/** The rules of a build with all features. */
export const RULES: OptionRules = {
  members: Object.assign({}, MEMBERS, ...FEATURES.map(({ members }) => members)) as OptionMembers,
  missing: () => undefined,
}
