import Sequencer from '@jest/test-sequencer'

/** Test files that take more than 10 s of CPU time or that mostly wait, longest first. Running one of them last would leave cores idle. */
const SLOWEST = [
  'service/attack',
  'service/equality',
  'service/hostileValues',
  'storage/cluster',
  'materialization/equality',
  'materialization/persons',
  'service/replicas',
  'cli/commands',
  'cli/backup',
  'service/timeouts',
  'service/sharedMaterialization',
  'service/eventsApi',
  'materialization/insights',
  'service/persons',
  'service/runs',
  'service/materialization',
  'service/capture',
  'service/endpoints',
  'persons/facts',
  'insights/web',
  'service/statics',
  'test/package',
  'extensions/contract',
  'parts/bundles',
].map((name) => `/${name}.test.ts`)

/** Runs the slow files first, and the others in Jest's default order (by duration of the last run, or by size). */
export default class SlowestFirst extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    const rankOf = ({ path }) => {
      const rank = SLOWEST.findIndex((name) => path.endsWith(name))
      return rank === -1 ? SLOWEST.length : rank
    }
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
