// `node site/build.mjs [folder]`: builds the docs site from docs/ in less than a second. Default folder: site/dist.
//
// A generator of our own on markdown-it, because `npm ci && npm start` serves the site. VitePress would add 139 packages of 102 MB
// to every install, and load the runtime of Vue on pages that are only text.
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, transform } from 'esbuild'
import { homeContent, layout, urlOf } from './layout.mjs'
import { DOCS, readPages, ROOT } from './pages.mjs'
import { render } from './render.mjs'
import { searchDataOf } from './searchData.mjs'
import { fullText, indexText, twinOf } from './texts.mjs'

/** The first paragraph of the README. */
const SUMMARY = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n\n')[1].replaceAll('\n', ' ')

const START = `\`\`\`sh
npm ci && npm start
\`\`\`

Then follow [Getting started](guides/getting-started.md), or let an agent read [llms.txt](llms.txt).
`

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const COMPRESSED = new Set(['.html', '.md', '.txt', '.js', '.css', '.svg'])

/** Returns a function that writes files below `folder`, with a compressed copy. */
const createWriter = (folder) => (path, text) => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (COMPRESSED.has(extname(path))) writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }))
}

/** Returns the path of an asset. Its name changes with its content, so browsers keep it forever. */
const hashed = (name, text) => {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  return `assets/${name.replace('.', `-${hash}.`)}`
}

const bundle = async (file, define = {}) => {
  const { outputFiles } = await build({
    entryPoints: [here(`client/${file}`)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    define,
  })
  return outputFiles[0].text
}

/** Returns the content of the site's assets by their name. */
const readAssets = async (pages) => ({
  icon: ['icon.svg', readFileSync(join(ROOT, 'service/console/public/icon.svg'), 'utf8')],
  style: [
    'site.css',
    (await transform(readFileSync(here('client/site.css'), 'utf8'), { loader: 'css', minify: true })).code,
  ],
  script: ['site.js', await bundle('site.js')],
  search: ['search.js', await bundle('search.js', { SEARCH_DATA: JSON.stringify(searchDataOf(pages)) })],
})

const homePage = (pages) => {
  const source = readFileSync(join(DOCS, 'README.md'), 'utf8')
  const start = render({ path: 'index.md', source: START }).html
  return {
    path: 'index.md',
    title: 'Trailmark docs',
    about: SUMMARY,
    source,
    html: homeContent(pages, { summary: SUMMARY, start }),
    sections: [{ level: 1, heading: 'Trailmark docs', id: '', text: SUMMARY }],
  }
}

const main = async (folder) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const pages = readPages().map((page) => ({ ...page, ...render(page) }))
  const contents = await readAssets(pages)
  const assets = Object.fromEntries(Object.entries(contents).map(([key, [name, text]]) => [key, hashed(name, text)]))
  rmSync(folder, { recursive: true, force: true })
  const write = createWriter(folder)
  for (const [key, path] of Object.entries(assets)) write(path, contents[key][1])
  for (const page of [homePage(pages), ...pages]) {
    write(urlOf(page.path), layout(page, { pages, assets, version }))
    write(page.path, twinOf(page))
  }
  write('llms.txt', indexText(pages, SUMMARY))
  write('llms-full.txt', fullText(pages, SUMMARY))
  cpSync(join(DOCS, 'images'), join(folder, 'images'), { recursive: true })
}

await main(resolve(process.argv[2] ?? here('dist')))
