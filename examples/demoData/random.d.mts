/** Returns a generator of numbers from 0 to 1 that is the same for the same seed. */
export function createRandom(seed: number): () => number
