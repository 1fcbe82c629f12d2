import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/**
 * Bundles `pages/NAME.js` as the build of a site does (Vite, minified, with chunks for lazy parts) into
 * `folder/NAME/entry.js`. Returns, by name, the code that a page loads immediately (`atOnce`) and the code that it may
 * load later (`later`).
 */
export const buildPages = async (names, folder) => {
  const built = {}
  for (const name of names) {
    const { output } = await build({
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: `${folder}/${name}`,
        modulePreload: false,
        reportCompressedSize: false,
        rolldownOptions: {
          input: fileURLToPath(new URL(`../pages/${name}.js`, import.meta.url)),
          preserveEntrySignatures: 'strict',
          output: { format: 'es', entryFileNames: 'entry.js', chunkFileNames: 'chunk-[name]-[hash].js' },
        },
      },
    })
    built[name] = splitByTime(output.filter(({ type }) => type === 'chunk'))
  }
  return built
}

/** Splits chunks into those that the entry imports statically, directly or not, and those that only `import()` loads. */
const splitByTime = (chunks) => {
  const atOnce = new Set()
  const follow = (chunk) => {
    if (!chunk || atOnce.has(chunk)) return
    atOnce.add(chunk)
    chunk.imports.forEach((file) => follow(chunks.find(({ fileName }) => fileName === file)))
  }
  follow(chunks.find(({ isEntry }) => isEntry))
  const texts = (wanted) => chunks.filter((chunk) => atOnce.has(chunk) === wanted).map(({ code }) => code)
  return { atOnce: texts(true), later: texts(false) }
}
