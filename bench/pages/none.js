// A page without any SDK: what the page itself costs.
export const start = () => {}
export const capture = () => {}
