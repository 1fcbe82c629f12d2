import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from './root'

const GUIDE = join(ROOT, 'docs/guides/environments.md')

export interface Bundle {
  /** Where the app's own files lie. */
  folder: string
  /** Where what Vite made of them lies. */
  out: string
}

/**
 * An app that imports `trailmark` as sites do, bundled by Vite: the code of docs/guides/environments.md, with `settings` for its
 * settings.js, and `files` beside and over it. `entries`: what is built; `ssr`: for a server.
 */
export const bundle = async (
  folder: string,
  {
    entries,
    files = {},
    settings,
    ssr = false,
  }: { entries: string[]; files?: Record<string, string>; settings: { token: string; options: object }; ssr?: boolean },
): Promise<Bundle> => {
  const guide = await readFile(GUIDE, 'utf8')
  const blocks = [...guide.matchAll(/```js(?:on)?\n\/\/ (\S+)\n(.*?)```/gs)].map(
    ([, name, code]) => [name!, code!] as const,
  )
  const all = {
    ...Object.fromEntries(blocks),
    'settings.js': `export const TOKEN = ${JSON.stringify(settings.token)}\nexport const OPTIONS = ${JSON.stringify(settings.options)}`,
    ...files,
  }
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await symlink(ROOT, join(folder, 'node_modules/trailmark')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(folder, name), text)))
  const out = join(folder, 'out')
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: out,
      emptyOutDir: false,
      ssr,
      rollupOptions: { input: entries.map((entry) => join(folder, entry)), output: { entryFileNames: '[name].js' } },
    },
    // Bundled for the server too: that is how frameworks deploy.
    ssr: { noExternal: true },
  })
  return { folder, out }
}
