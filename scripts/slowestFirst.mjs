import Sequencer from '@jest/test-sequencer'

/** Test files that take more than 20 seconds on an idle machine, longest first. Running one of them last would leave cores idle. */
const SLOWEST = [
  'materialization/insights',
  'storage/cluster',
  'materialization/persons',
  'materialization/equality',
  'cli/backup',
  'service/timeouts',
  'service/attack',
  'persons/facts',
  'cli/commands',
  'service/replicas',
  'service/materialization',
  'service/persons',
  'test/package',
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
