// The environment of the jest project `cluster`: services without a configured store run on a cluster of two shards.
process.env.TEST_STORE = 'cluster'
