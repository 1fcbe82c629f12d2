/** `trailmark/server/local`: evaluates flags by their definitions. `trailmark/server` imports it if it has a personal API key. */
export { evaluateLocally } from './evaluate'
export type { Definition, Definitions, Evaluated } from './evaluate'
