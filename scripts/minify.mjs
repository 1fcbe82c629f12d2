// Rollup plugin that minifies chunks with terser. `@rollup/plugin-terser` starts a thread for each chunk, which loads
// and compiles terser again. That takes a quarter of the build time.
import { minify as terser } from 'terser'

/** Returns the plugin. `options`: terser's options. */
export const minify = (options) => ({
  name: 'minify',
  async renderChunk(code) {
    const { code: minified, map } = await terser(code, { ...options, sourceMap: true })
    return { code: minified, map: JSON.parse(map) }
  },
})
