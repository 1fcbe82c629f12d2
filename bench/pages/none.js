// A page without an SDK, which measures the cost of the page itself.
export const start = () => {}
export const capture = () => {}
