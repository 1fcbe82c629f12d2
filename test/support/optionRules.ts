import { checked } from '../../src/config/checks'
import { FEATURES } from '../../src/client/features/features'
import { OPTIONS } from './options'
import { MEMBERS, type OptionMembers } from '../../src/config/options'
import type { OptionRules } from '../../src/config/settings'
import { SESSION_RECORDING } from '../../src/extensions/recorder/members'

/** The rules of a build with all features and extensions. */
export const RULES: OptionRules = {
  rows: OPTIONS,
  members: Object.assign({}, MEMBERS, ...FEATURES.map(({ members }) => members), {
    session_recording: SESSION_RECORDING,
  }) as OptionMembers,
  check: checked,
}
