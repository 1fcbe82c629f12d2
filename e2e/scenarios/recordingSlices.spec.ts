import { join } from 'node:path'
import { build } from 'vite'
// @ts-expect-error: a part of the build
import { patchedRrweb } from '../../scripts/patchedRrweb.mjs'
import { ROOT } from '../support/root'
import type { compare } from '../support/slicedPage'
import { expect, test } from '../support/world'

/** Returns a script with the exports of a module as `window.sliced`. */
const bundled = async () => {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [patchedRrweb],
    build: {
      write: false,
      minify: false,
      lib: { entry: join(ROOT, 'e2e/support/slicedPage.ts'), formats: ['iife'], name: 'sliced' },
    },
  })
  const [{ output }] = [result].flat() as unknown as [{ output: { code: string }[] }]
  return output[0]!.code
}

test('a full snapshot in slices is that of one task at its end, whatever the page does meanwhile', async ({ page }) => {
  const code = await bundled()
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html><head></head><body></body></html>' }),
  )
  // Every third seed has a simple page, and there are several sets of options.
  const from = Number(process.env.SEED ?? 1)
  const to = from + Number(process.env.SEEDS ?? 6)
  for (let seed = from; seed < to; seed++) {
    await page.goto('http://sliced.test/')
    await page.addScriptTag({ content: code })
    const { problems, slices } = await page.evaluate(
      (each) => (window as unknown as { sliced: { compare: typeof compare } }).sliced.compare(each, 3),
      seed,
    )
    expect(problems).toEqual([])
    expect(slices).toBeGreaterThan(3)
  }
})
