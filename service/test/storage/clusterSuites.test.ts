// The suites of the service once more, each on a cluster of two shards of its own. `TEST_STORE=cluster npx jest --selectProjects service`
// runs every other one there too.
process.env.TEST_STORE = 'cluster'

describe.each(['people', 'persons', 'insights', 'runs', 'materialization'])('on two shards: %s', (suite) => {
  require(`../service/${suite}.test.ts`)
})
