import type { Project } from './project'

/** Values that `init` writes into a project. */
export interface Settings {
  host: string
  token: string
}

/** A text that `init` adds to a file of the project, and that `--undo` removes. */
export interface Insertion {
  /** Path of the file; `undefined` if there is no such file. The text is then printed. */
  path: string | undefined
  text: string
  /** Returns the file with the text; `undefined` if it cannot be changed safely. */
  add(source: string): string | undefined
  /** Manual step if the file cannot be changed. */
  advice: string
  /** Whether the file is created if it does not exist. */
  isNew?: boolean
}

export interface Framework {
  name: string
  /** Names of packages that identify the framework. */
  packages: readonly string[]
  /** Prefix of environment variables that reach the browser. Unset: the values are written into the code. */
  prefix?: string
  /** Returns the new file: path without extension, and text. Unset if there is no new file. */
  module?(project: Project, settings: Settings): { path: string; text: string }
  insertion?(project: Project, settings: Settings): Insertion
}

export const MARK = '// Added by `trailmark init`.'
const DEFAULTS = '2026-05-30'

const quoted = (value: string) => `'${value.replace(/['\\]/g, '\\$&')}'`

const importOf = (from: string, names?: string) => `import ${names ? `${names} from ` : ''}'${from}'`
const IMPORT_SDK = importOf('trailmark', '{ analytics }')

/** Returns the code that starts the SDK. `token`, `host`: expressions. */
const start = (token: string, host: string, condition = '') => `${MARK}
${IMPORT_SDK}

${condition}analytics.init(${token}, { api_host: ${host}, defaults: '${DEFAULTS}' })
`

const extension = ({ isTypeScript }: Project) => (isTypeScript ? 'ts' : 'js')

/** Adds an import as the first statement, after directives such as 'use client' and comments that tools read. */
const addImport = (text: string) => (source: string) => {
  const [head] = /^(?:\s*(?:#![^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/|(['"])use [\w ]+\1;?)[^\S\n]*\n)*/.exec(source)!
  return `${head}${text}${source.slice(head.length)}`
}

const IMPORT = `${importOf('./trailmark')}\n`
const importIn = (path: string | undefined): Insertion => ({
  path,
  text: IMPORT,
  add: addImport(IMPORT),
  advice: `Import './trailmark' first in the module that starts your app.`,
})

/** Adds a line before the end of the head. */
const beforeHead = (text: string) => (source: string) => {
  const parts = source.split(/^([^\S\n]*)(?=<\/head>)/m)
  return parts.length === 3 ? `${parts[0]}${parts[1]}  ${text}${parts[1]}${parts[2]}` : undefined
}

const viteEnv = (name: string) => `import.meta.env.${name}`
const viteModule = ({ isTypeScript }: Project, condition?: string) => ({
  path: `src/trailmark.${isTypeScript ? 'ts' : 'js'}`,
  text: start(viteEnv('VITE_TRAILMARK_TOKEN'), viteEnv('VITE_TRAILMARK_HOST'), condition),
})

/** The module that index.html starts. */
const viteEntry = (project: Project) => {
  const [, path] =
    /<script[^>]+src=["']\/?((?:\.\/)?[\w./-]+\.[jt]sx?)["']/.exec(project.read('index.html') ?? '') ?? []
  return project.find(
    ...(path ? [path.replace(/^\.\//, '')] : []),
    ...['tsx', 'ts', 'jsx', 'js'].map((end) => `src/main.${end}`),
  )
}

const attribute = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The frameworks, most specific first. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Next.js',
    packages: ['next'],
    prefix: 'NEXT_PUBLIC_',
    module: (project) => ({
      path: `${project.find('src/app', 'src/pages') ? 'src/' : ''}instrumentation-client.${extension(project)}`,
      text: start(
        `process.env.NEXT_PUBLIC_TRAILMARK_TOKEN${project.isTypeScript ? '!' : ''}`,
        'process.env.NEXT_PUBLIC_TRAILMARK_HOST',
      ),
    }),
  },
  {
    name: 'Nuxt',
    packages: ['nuxt'],
    prefix: 'NUXT_PUBLIC_',
    module: (project) => ({
      path: `${project.find('app') ? 'app/' : ''}plugins/trailmark.client.${extension(project)}`,
      text: `${MARK}
${IMPORT_SDK}

export default defineNuxtPlugin(() => {
  const { trailmarkToken, trailmarkHost } = useRuntimeConfig().public
  analytics.init(trailmarkToken, { api_host: trailmarkHost, defaults: '${DEFAULTS}' })
})
`,
    }),
    insertion: (project) => {
      const text = `\n  runtimeConfig: { public: { trailmarkToken: '', trailmarkHost: '' } },`
      return {
        path: project.find('nuxt.config.ts', 'nuxt.config.js', 'nuxt.config.mjs'),
        text,
        add: (source) =>
          /runtimeConfig/.test(source) || source.split('defineNuxtConfig({').length !== 2
            ? undefined
            : source.replace('defineNuxtConfig({', (found) => found + text),
        advice: `Add trailmarkToken: '' and trailmarkHost: '' to runtimeConfig.public in nuxt.config.`,
      }
    },
  },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit'],
    // Variables of Vite, because SvelteKit 2 and 3 have different modules for their own.
    prefix: 'VITE_',
    module: (project) => viteModule(project),
    insertion: (project) => {
      const path = project.find('src/hooks.client.ts', 'src/hooks.client.js')
      return { ...importIn(path ?? `src/hooks.client.${extension(project)}`), isNew: !path }
    },
  },
  {
    name: 'Astro',
    packages: ['astro'],
    prefix: 'PUBLIC_',
    module: (project) => ({
      path: `src/trailmark.${extension(project)}`,
      text: start('import.meta.env.PUBLIC_TRAILMARK_TOKEN', 'import.meta.env.PUBLIC_TRAILMARK_HOST'),
    }),
    insertion: (project) => {
      const text = `<script>${importOf('../trailmark')}</script>\n`
      const files = [...project.list('src/layouts'), ...project.list('src/pages')].filter(
        (path) => path.endsWith('.astro') && project.read(path)!.includes('</head>'),
      )
      return {
        path: files.length === 1 ? files[0] : undefined,
        text,
        add: beforeHead(text),
        advice: `Add this to the <head> of your layouts, with the path to src/trailmark: ${text.trim()}`,
      }
    },
  },
  {
    name: 'Angular',
    packages: ['@angular/core'],
    module: (_, { token, host }) => ({ path: 'src/trailmark.ts', text: start(quoted(token), quoted(host)) }),
    insertion: (project) => importIn(project.find('src/main.ts')),
  },
  {
    name: 'React Router',
    packages: ['@react-router/dev'],
    prefix: 'VITE_',
    module: (project) => ({
      ...viteModule(project, 'if (!import.meta.env.SSR) '),
      path: `app/trailmark.${extension(project)}`,
    }),
    insertion: (project) => importIn(project.find('app/root.tsx', 'app/root.jsx')),
  },
  {
    name: 'Vite',
    packages: ['vite'],
    prefix: 'VITE_',
    module: (project) => viteModule(project),
    insertion: (project) => importIn(viteEntry(project)),
  },
  {
    name: 'HTML',
    packages: [],
    insertion: (project, { host, token }) => {
      const text = `<script src="${attribute(host)}/static/analytics.js" data-token="${attribute(token)}" async></script>\n`
      return {
        path: project.find('index.html', 'public/index.html'),
        text,
        add: beforeHead(text),
        advice: `Add this to the <head> of your pages: ${text.trim()}`,
      }
    },
  },
]

/** Returns the framework of a project. `undefined`: none that is known. */
export const frameworkOf = (project: Project): Framework | undefined =>
  FRAMEWORKS.find(({ packages }) => packages.some(project.has)) ??
  (project.find('index.html', 'public/index.html') ? FRAMEWORKS.at(-1) : undefined)
