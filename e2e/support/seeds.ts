/** Seeds of the generated pages: one by default, `TEST_SEEDS` many otherwise. */
export const SEEDS = Array.from({ length: Number(process.env.TEST_SEEDS ?? 1) }, (_, index) => index + 1)
