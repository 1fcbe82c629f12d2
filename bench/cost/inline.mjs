import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { openPage } from '../support/openPage.mjs'
import { median } from '../support/statistics.mjs'
import { captureBurst } from './captureBurst.mjs'
import { waitUntil } from './waitUntil.mjs'

// From the load event until the first burst, as for a visitor who has looked at the page.
const STARTED_MS = 2500
const BURSTS = 10
const IN_A_BURST = 100
const BETWEEN_MS = 250
const LONGEST_MS = 10_000

/**
 * Bundles `pages/NAME.js` with esbuild, with its chunks in `folder`, which the site has at /bundles/. Returns an inline script
 * that starts the SDK, for `collector`.
 */
export const inlineScript = async (name, collector, folder) => {
  const page = fileURLToPath(new URL(`../pages/${name}.js`, import.meta.url))
  const { outputFiles } = await build({
    stdin: {
      contents: `import { start, capture } from ${JSON.stringify(page)}; window.capture = capture; start('${collector}')`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2020',
    outdir: `${folder}/inline-${name}`,
    publicPath: `/bundles/inline-${name}`,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  await mkdir(`${folder}/inline-${name}`, { recursive: true })
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, text)))
  const entry = outputFiles.find(({ path }) => path.endsWith('stdin.js')).text
  return `<script type="module">${entry.replaceAll('</script', '<\\/script')}</script>`
}

/**
 * A second way to measure start and bursts: the import in an inline script, with another bundler and at another time.
 * CPU time of the main thread until 2.5 s after the load event, and of 10 bursts of 100 events until they have arrived.
 */
export const measureInline =
  ({ browser, site, collectors }) =>
  async ({ name }) => {
    const collector = collectors[name]
    const tab = await openPage(browser, `${site}/${name}/inline`)
    await tab.wait(STARTED_MS)
    const startMs = await tab.cpuMs()
    collector.clear()
    const took = []
    for (let burst = 0; burst < BURSTS; burst += 1) {
      took.push(await tab.page.evaluate(captureBurst, { name: 'bench_inline', count: IN_A_BURST }))
      await tab.wait(BETWEEN_MS)
    }
    await waitUntil(() => name === 'none' || collector.arrived('bench_inline') >= BURSTS * IN_A_BURST, LONGEST_MS)
    // Includes processing of the last responses.
    await tab.wait(500)
    const cpuMs = (await tab.cpuMs()) - startMs
    await tab.close()
    return {
      startMs,
      burstUs: (1000 * median(took)) / IN_A_BURST,
      cpuMs,
      requests: collector.requestsOf('bench_inline').length,
      arrived: collector.arrived('bench_inline'),
    }
  }
