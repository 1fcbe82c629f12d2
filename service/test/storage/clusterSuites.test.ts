// Suites of the service once more, each on a cluster of two shards of its own. `TEST_STORE=cluster npx jest --selectProjects service` runs
// others there too; those that give up statements under way are not among these, because the embedded engine ends when one over
// several nodes is killed.
process.env.TEST_STORE = 'cluster'

describe.each(['people', 'insights'])('on two shards: %s', (suite) => {
  require(`../service/${suite}.test.ts`)
})
