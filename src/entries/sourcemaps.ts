export { rollup, vite, webpack, type RollupPlugin, type SourcemapOptions } from '../sourcemaps/plugin'
