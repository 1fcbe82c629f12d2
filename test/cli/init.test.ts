/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { runInit, type Tools } from '../../src/cli/commands/init'
import { sendTestEvent } from '../../src/cli/init/testEvent'

type Files = Record<string, string>
const needs = (...names: string[]) =>
  `${JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) }, null, 2)}\n`
const VITE_PAGE = '<!doctype html>\n<head>\n</head>\n<body><script type="module" src="/src/main.ts"></script></body>\n'
const ASTRO = '---\n---\n<html>\n  <head>\n    <title>A</title>\n  </head>\n</html>\n'

/** Small starters: their files, and what `init` adds. */
const STARTERS: Record<string, { files: Files; framework: string; added: Record<string, RegExp>; lock?: string }> = {
  'Next.js, app router': {
    files: {
      'package.json': needs('next', 'react'),
      'tsconfig.json': '{}',
      'app/page.tsx': 'export default () => null\n',
    },
    framework: 'Next.js',
    added: {
      '.env': /^NEXT_PUBLIC_TRAILMARK_TOKEN=phc_a\nNEXT_PUBLIC_TRAILMARK_HOST=https:\/\/events\.example\.com\n$/,
      'instrumentation-client.ts': /init\(process\.env\.NEXT_PUBLIC_TRAILMARK_TOKEN!/,
    },
  },
  'Next.js in src, JavaScript': {
    files: { 'package.json': needs('next'), 'src/pages/index.js': '', '.env': 'OTHER=1' },
    framework: 'Next.js',
    added: { '.env': /^OTHER=1\nNEXT_/, 'src/instrumentation-client.js': /NEXT_PUBLIC_TRAILMARK_TOKEN,/ },
  },
  Nuxt: {
    files: {
      'package.json': needs('nuxt', 'vue'),
      'app/app.vue': '',
      'tsconfig.json': '{}',
      'nuxt.config.ts': `export default defineNuxtConfig({\n  devtools: { enabled: true },\n})\n`,
    },
    framework: 'Nuxt',
    added: {
      '.env': /^NUXT_PUBLIC_/,
      'app/plugins/trailmark.client.ts': /useRuntimeConfig\(\)/,
      'nuxt.config.ts': /runtimeConfig: \{ public: \{ trailmarkToken/,
    },
  },
  'Vite with React': {
    files: {
      'package.json': needs('vite', 'react'),
      'index.html': VITE_PAGE.replace('main.ts', 'main.jsx'),
      'src/main.jsx': "'use client'\nimport React from 'react'\n",
      'yarn.lock': '',
    },
    framework: 'Vite',
    added: {
      'src/trailmark.js': /import\.meta\.env\.VITE_TRAILMARK_TOKEN/,
      'src/main.jsx': /^'use client'\nimport '\.\/trailmark'\nimport React/,
      '.env': /^VITE_TRAILMARK_TOKEN/,
    },
    lock: 'yarn add trailmark',
  },
  'Vite with Vue': {
    files: {
      'package.json': needs('vite', 'vue'),
      'tsconfig.json': '{}',
      'index.html': VITE_PAGE,
      'src/main.ts': '// Vue\n',
    },
    framework: 'Vite',
    added: { 'src/trailmark.ts': /VITE_/, 'src/main.ts': /^\/\/ Vue\nimport '\.\/trailmark'\n$/, '.env': /VITE_/ },
  },
  'Vite with Svelte': {
    files: {
      'package.json': needs('vite', 'svelte'),
      'tsconfig.json': '{}',
      'index.html': VITE_PAGE,
      'src/main.ts': "import './app.css'\n",
      'pnpm-lock.yaml': '',
    },
    framework: 'Vite',
    added: {
      'src/trailmark.ts': /VITE_/,
      'src/main.ts': /^import '\.\/trailmark'\nimport '\.\/app\.css'/,
      '.env': /VITE_/,
    },
    lock: 'pnpm add trailmark',
  },
  SvelteKit: {
    files: { 'package.json': needs('@sveltejs/kit', 'vite', 'svelte'), 'tsconfig.json': '{}', 'src/app.html': '' },
    framework: 'SvelteKit',
    added: {
      'src/trailmark.ts': /import\.meta\.env\.VITE_TRAILMARK_TOKEN/,
      'src/hooks.client.ts': /^import '\.\/trailmark'\n$/,
      '.env': /^VITE_TRAILMARK_TOKEN/,
    },
  },
  Astro: {
    files: { 'package.json': needs('astro'), 'tsconfig.json': '{}', 'src/layouts/Layout.astro': ASTRO },
    framework: 'Astro',
    added: {
      'src/trailmark.ts': /PUBLIC_TRAILMARK_TOKEN/,
      'src/layouts/Layout.astro': /<script>import '..\/trailmark'<\/script>\n {2}<\/head>/,
      '.env': /^PUBLIC_/,
    },
  },
  Angular: {
    files: { 'package.json': needs('@angular/core'), 'tsconfig.json': '{}', 'src/main.ts': 'bootstrap()\n' },
    framework: 'Angular',
    added: { 'src/trailmark.ts': /init\('phc_a', \{ api_host: 'https:/, 'src/main.ts': /^import '\.\/trailmark'\n/ },
  },
  'React Router': {
    files: { 'package.json': needs('@react-router/dev', 'vite'), 'tsconfig.json': '{}', 'app/root.tsx': 'export {}\n' },
    framework: 'React Router',
    added: {
      'app/trailmark.ts': /if \(!import\.meta\.env\.SSR\)/,
      'app/root.tsx': /^import '\.\/trailmark'/,
      '.env': /VITE_/,
    },
  },
  'plain HTML': {
    files: { 'index.html': '<!doctype html>\n<html>\n  <head>\n    <title>A</title>\n  </head>\n</html>\n' },
    framework: 'HTML',
    added: {
      'index.html': /<script src="https:\/\/events\.example\.com\/static\/analytics\.js" data-token="phc_a" async>/,
    },
    lock: '',
  },
}

const FLAGS = ['--host', 'https://events.example.com/', '--token', 'phc_a', '--yes']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trailmark-init-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
const commit = () => {
  git('add', '-A')
  git('commit', '-q', '-m', 'a')
}
const create = (files: Files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  git('init', '-q')
  commit()
}
const snapshot = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !join(entry.parentPath, '/').includes('/.git/'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  )

/** Runs the command. The installer changes package.json as a package manager would. */
const init = async (args: string[], tools: Partial<Tools> = {}) => {
  const lines: string[] = []
  const installed: string[] = []
  const io = { out: (line: string) => lines.push(line), err: jest.fn(), cwd: folder, env: { CI: '1' } }
  const code = await runInit(args, io, {
    isInteractive: false,
    hasColors: false,
    ask: () => Promise.reject(new Error('Nobody is there.')),
    install: (command, rest) => {
      installed.push([command, ...rest].join(' '))
      const file = join(folder, 'package.json')
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> }
      if (/add|install/.test(rest[0]!) && !rest[0]!.startsWith('un')) manifest.dependencies.trailmark = '2'
      else delete manifest.dependencies.trailmark
      writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
    },
    sendTestEvent: async () => undefined,
    ...tools,
  })
  return { code, text: lines.join('\n'), installed }
}

describe.each(Object.entries(STARTERS))('%s', (_, { files, framework, added, lock = 'npm install trailmark' }) => {
  test('gets the SDK; a second run changes nothing; --undo removes it', async () => {
    create(files)
    const fresh = snapshot()
    const shown = await init([...FLAGS, '--dry-run', '--json'])
    expect(snapshot()).toEqual(fresh)
    expect(JSON.parse(shown.text)).toMatchObject({ framework, written: false, testEvent: false, byHand: [] })

    const first = await init(FLAGS)
    expect([first.code, first.installed.join()]).toEqual([0, lock])
    for (const [path, pattern] of Object.entries(added))
      expect(readFileSync(join(folder, path), 'utf8')).toMatch(pattern)
    const after = snapshot()
    const changed = Object.keys(after).filter((path) => after[path] !== fresh[path] && path !== 'package.json')
    expect(changed.sort()).toEqual(Object.keys(added).sort())
    for (const path of changed.filter((each) => /\.[jt]sx?$/.test(each)))
      expect(() => transformSync(after[path]!, { loader: path.split('.').at(-1) as 'ts' })).not.toThrow()

    commit()
    const second = await init(FLAGS)
    expect([second.code, second.installed, second.text]).toEqual([0, [], expect.stringContaining('Nothing to change.')])
    expect(snapshot()).toEqual(after)

    await init(['--undo', '--yes'])
    // A last line without an end gets one.
    expect(snapshot()).toEqual({ ...fresh, ...(fresh['.env'] && { '.env': `${fresh['.env']}\n` }) })
  })
})

describe('without a terminal', () => {
  beforeEach(() => create(STARTERS.Angular!.files))

  test.each([
    [[], /Missing --host/],
    [['--host', 'https://a.example'], /Missing --token/],
    [['--host', 'https://a.example', '--token', 'phc_a'], /Missing --yes/],
    [['--host', 'a.example', '--token', 'phc_a'], /must be a URL/],
    [['--host', 'https://a.example', '--token', 'phx_secret'], /personal API key/],
    [['--host', 'https://a.example', '--token', "a'b"], /letters, digits/],
  ])('%j says what is missing and changes nothing', async (args, message) => {
    const before = snapshot()
    await expect(init(args)).rejects.toThrow(message)
    expect(snapshot()).toEqual(before)
  })
})

test('a person is asked, and may refuse', async () => {
  create(STARTERS.Angular!.files)
  const before = snapshot()
  const answers = ['https://a.example', 'phc_a', 'n']
  const tools = { isInteractive: true, ask: () => Promise.resolve(answers.shift()!) }
  expect((await init([], tools)).code).toBe(1)
  expect([snapshot(), answers]).toEqual([before, []])
})

test('uncommitted changes are refused, unless they are to be ignored', async () => {
  create(STARTERS.Angular!.files)
  writeFileSync(join(folder, 'new.ts'), '')
  await expect(init(FLAGS)).rejects.toThrow(/new\.ts\nCommit them, or pass --ignore-git-changes/)
  expect((await init([...FLAGS, '--ignore-git-changes'])).code).toBe(0)
})

test('what cannot be changed safely is printed', async () => {
  create({
    ...STARTERS.Nuxt!.files,
    'nuxt.config.ts': 'export default defineNuxtConfig({ runtimeConfig: { public: { a: 1 } } })\n',
    'app/plugins/trailmark.client.ts': '// Mine\n',
  })
  const { text } = await init(FLAGS)
  expect(text).toContain(`By hand: Add trailmarkToken: ''`)
  expect(text).toContain('By hand: app/plugins/trailmark.client.ts exists. Add this to it:')
  expect(readFileSync(join(folder, 'app/plugins/trailmark.client.ts'), 'utf8')).toBe('// Mine\n')
})

test('init reports a project that it does not know', async () => {
  create({ 'package.json': needs('left-pad') })
  await expect(init(FLAGS)).rejects.toThrow(/no known framework \(Next\.js, /)
  expect(existsSync(join(folder, '.env'))).toBe(false)
})

describe('the test event', () => {
  let server: Server
  let respond: (body: any) => [number, string]
  beforeAll((done) => {
    server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        const [status, body] = respond(JSON.parse(text))
        response.writeHead(status).end(body)
      })
    }).listen(0, '127.0.0.1', done)
  })
  afterAll(() => server.close())
  const send = () =>
    sendTestEvent({ host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'phc_a' })

  test('is stored before anything is written', async () => {
    const sent: any[] = []
    respond = (body) => [sent.push(body) && 200, '{"status":1}']
    await send()
    expect(sent[0]).toMatchObject({ api_key: 'phc_a', batch: [{ event: 'trailmark init' }] })
    create(STARTERS.Angular!.files)
    const before = snapshot()
    respond = () => [401, '{"type":"authentication_error","detail":"No project has this token."}']
    await expect(init(FLAGS, { sendTestEvent: send })).rejects.toThrow(/No project has this token\. *.*Check --host/)
    expect(snapshot()).toEqual(before)
  })

  test.each([
    [200, '{"status":1,"refused":[{"index":0,"detail":"Too old"}]}', /Too old/],
    [200, '<!doctype html>', /not as a Trailmark service/],
    [502, '', /status 502/],
  ])('%s %s is a failure', async (status, body, message) => {
    respond = () => [status, body]
    await expect(send()).rejects.toThrow(message)
  })
})
