// Rollup plugin that minifies chunks by terser. `@rollup/plugin-terser` starts a thread for each chunk, which loads and compiles
// terser again: a quarter of the build.
import { minify as terser } from 'terser'

/** `options`: of terser. */
export const minify = (options) => ({
  name: 'minify',
  async renderChunk(code) {
    const { code: minified, map } = await terser(code, { ...options, sourceMap: true })
    return { code: minified, map: JSON.parse(map) }
  },
})
