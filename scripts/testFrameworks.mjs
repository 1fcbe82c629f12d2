// `npm run test:frameworks [-- NAME …]`: packs the built SDK, then installs, builds and drives the examples of all frameworks, or of
// some: test/frameworks/NAME.spec.ts. Needs `npm run build:sdk` before, and the npm registry.
//
// An example whose `engines` want a newer Node gets one from npm. With FRAMEWORKS_FOLDER, installed examples are kept there for
// the next run.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findBrowser } from './findBrowser.mjs'

const root = resolve(import.meta.dirname, '..')
if (!existsSync(join(root, 'dist/esm/main.js'))) throw new Error('There is no build. Run npm run build:sdk first.')

const browser = findBrowser('chromium')
const kept = process.env.FRAMEWORKS_FOLDER
if (kept) mkdirSync(kept, { recursive: true })
const folder = kept ?? mkdtempSync(join(tmpdir(), 'trailmark-frameworks-'))
try {
  const tarball = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
  // Other arguments are Playwright's.
  const specs = process.argv
    .slice(2)
    .map((name) => (existsSync(join(root, `test/frameworks/${name}.spec.ts`)) ? `/${name}.spec.ts` : name))
  const { status } = spawnSync(
    'npx',
    ['playwright', 'test', '--config', 'test/frameworks/playwright.config.ts', ...specs],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        TRAILMARK_BROWSER: browser,
        FRAMEWORKS_FOLDER: folder,
        FRAMEWORKS_TARBALL: join(folder, tarball),
      },
    },
  )
  process.exitCode = status ?? 1
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true })
}
