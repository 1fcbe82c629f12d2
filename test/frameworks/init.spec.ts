import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'playwright/test'
import { startCollector } from './support/collector'

// `trailmark init` of the packed package on a fresh starter: it builds, the event arrives, and --undo restores it.

const { FRAMEWORKS_FOLDER = '', FRAMEWORKS_TARBALL = '' } = process.env
const COMMAND = fileURLToPath(new URL('../../dist/esm/cli.js', import.meta.url))

const STARTER = {
  'package.json': '{\n  "private": true,\n  "type": "module",\n  "devDependencies": {\n    "vite": "^7.0.0"\n  }\n}\n',
  'index.html': '<!doctype html><title>Shop</title><script type="module" src="/src/main.js"></script>\n',
  'src/main.js': "document.body.append('Shop')\n",
  '.gitignore': 'node_modules\ndist\n',
}
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }

test('init adds the SDK to a fresh starter, and removes it', async ({ page }) => {
  const folder = mkdtempSync(join(FRAMEWORKS_FOLDER, 'init-'))
  const { NODE_ENV: _, ...env } = process.env
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...env, CI: '1' } })
  const commit = () => {
    run('git', 'add', '-A')
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'a')
  }
  for (const [path, text] of Object.entries(STARTER)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  run('npm', 'install', '--no-audit', '--no-fund')
  run('git', 'init', '-q')
  commit()
  const fresh = run('git', 'rev-parse', 'HEAD:src')

  const collector = await startCollector()
  const init = (...args: string[]) => run(process.execPath, COMMAND, 'init', '--yes', ...args)
  const flags = ['--host', collector.url, '--token', 'phc_starter', '--package', `file:${FRAMEWORKS_TARBALL}`]
  // The collector runs in this process, which waits for the command.
  init(...flags, '--no-test')
  commit()
  expect(init(...flags, '--no-test')).toContain('Nothing to change.')
  run('npx', 'vite', 'build')

  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
  const site = createServer((request, response) => {
    const path = request.url === '/' ? 'index.html' : request.url!.slice(1)
    if (!files.includes(path)) return response.writeHead(404).end()
    return response.setHeader('content-type', TYPES[extname(path)] ?? '').end(readFileSync(join(folder, 'dist', path)))
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  await page.goto(`http://127.0.0.1:${(site.address() as { port: number }).port}/`)
  await collector.waitFor('$pageview')

  init('--undo')
  commit()
  expect(run('git', 'rev-parse', 'HEAD:src')).toBe(fresh)
  site.closeAllConnections()
  site.close()
  collector.close()
})
