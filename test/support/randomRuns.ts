/**
 * Returns how many random cases a property test runs: `usual` in `npm test`, or the environment variable TEST_RUNS.
 * fast-check prints the seed of a failure.
 */
export const randomRuns = (usual: number): number => Number(process.env.TEST_RUNS ?? usual)
