import Sequencer from '@jest/test-sequencer'

/** Files that run for longer than 20 seconds on a quiet machine, the longest first. One of them at the end leaves cores idle. */
const SLOWEST = [
  'materialization/insights',
  'materialization/persons',
  'storage/cluster',
  'service/sharedMaterialization',
  'materialization/equality',
  'cli/backup',
  'service/attack',
  'ingest/people',
  'service/start',
  'cli/commands',
  'service/external',
  'service/durability',
  'service/replicas',
  'service/materialization',
  'service/persons',
  'test/package',
].map((name) => `/${name}.test.ts`)

/** Jest's own order (by the time of the last run, else by size), after the files that are known to be slow. */
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
