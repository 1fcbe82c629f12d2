import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { later } from '../../src/lib/guard'

test.each([2 ** 31, 30 * 86_400_000, Infinity])('a timer of %d ms does not fire immediately', async (ms) => {
  const run = jest.fn()
  const timer = later(run, ms)
  await new Promise((done) => setTimeout(done, 30))
  expect(run).not.toHaveBeenCalled()
  clearTimeout(timer)
})

test('every timer of the SDK is set with `later`', () => {
  const SRC = resolve(__dirname, '../../src')
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const timers = files.filter((file) => /\bset(Timeout|Interval)\(/.test(readFileSync(join(SRC, file), 'utf8')))
  // The sub-paths of the package, the upload of source maps and the chart share no code with the SDK. The recorder's is of 0 ms, where a page has
  // no MessageChannel.
  const allowed = ['backend/endpoints.ts', 'extensions/recorder/slices.ts', 'lib/guard.ts', 'sourcemaps/upload.ts']
  const ofSdk = timers.map((file) => file.replace(/\\/g, '/')).filter((file) => !/^(chart|cli|subpaths)\//.test(file))
  expect(ofSdk.sort()).toEqual(allowed)
})
