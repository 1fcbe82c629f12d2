import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from './root'

const GUIDE = join(ROOT, 'docs/guides/environments.md')

export interface Bundle {
  /** Folder of the app's own files. */
  folder: string
  /** Folder of Vite's output. */
  out: string
}

/**
 * Bundles an app with Vite that imports `trailmark` as sites do: the code of docs/guides/environments.md with `settings` as its
 * settings.js, plus `files`, which override it. `entries`: the entry files; `ssr`: whether it is built for a server.
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
  const blocks = [...guide.matchAll(/```js(?:on|x)?\n\/\/ (\S+)\n(.*?)```/gs)].map(
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
    // Dependencies are bundled for the server too, as frameworks do.
    ssr: { noExternal: true },
  })
  return { folder, out }
}
