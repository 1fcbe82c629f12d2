// The pages of the site and their order: the lists of docs/README.md.
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const DOCS = join(ROOT, 'docs')

const read = (path) => readFileSync(join(DOCS, path), 'utf8')
const LINK = /\[([^\]]+)\]\(([^)#\s]+\.md)\)/g

/** Returns the list items of a section with the label of their group: the paragraph or heading above the list. */
const itemsOf = (section) => {
  let group = ''
  const items = []
  for (const line of section.split('\n')) {
    if (line.startsWith('- ')) items.push({ group, text: line.slice(2) })
    else if (/^ {2,}\S/.test(line) && items.length) items.at(-1).text += ` ${line.trim()}`
    else if (/^### /.test(line)) group = line.slice(4).trim()
    else if (/^\S.*:$/.test(line)) group = line.slice(0, -1).replace(/^The (\w)/, (_, first) => first.toUpperCase())
  }
  return items
}

/** Returns the group of a page that is in a folder of its own section: `guides/frameworks/react.md` is in "Frameworks". */
const folderOf = (path) => {
  const [, folder] = /^[^/]+\/([^/]+)\//.exec(path) ?? []
  return folder && folder[0].toUpperCase() + folder.slice(1)
}

/** Returns the pages that an item links to. They share the item's description. */
const pagesOf = (section, { group, text }) => {
  const [, about = ''] = /\)(?:,[^:]*)?: (.+)$/.exec(text) ?? []
  return [...text.matchAll(LINK)]
    .map(([, title, path]) => ({ path: posix.normalize(path), title, about, section, group: folderOf(path) ?? group }))
    .filter(({ path }) => !path.startsWith('..') && existsSync(join(DOCS, path)))
    .map((page) => ({ ...page, title: page.title[0].toUpperCase() + page.title.slice(1), source: read(page.path) }))
}

/** Returns every page that docs/README.md lists, once, in its order. */
export const readPages = () => {
  const sections = read('README.md').split(/^## /m).slice(1)
  const pages = sections.flatMap((section) => {
    const [title] = section.split('\n', 1)
    return itemsOf(section).flatMap((item) => pagesOf(title.trim(), item))
  })
  return pages.filter(({ path }, at) => pages.findIndex((other) => other.path === path) === at)
}

/** Returns values in groups of the same key, in the order of their first value. */
export const grouped = (values, keyOf) => {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return [...groups]
}

const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const REPOSITORY = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`

/**
 * Returns the target of a link from a page, as a path in the site or a URL. Files outside of docs/ are only in the repository.
 * `path`: of the page, in docs/. `end`: the ending of pages.
 */
export const targetOf = (href, path, end) => {
  if (/^(?:[a-z]+:|#|\/\/)/i.test(href)) return href
  const [target, anchor] = href.split('#')
  const inDocs = posix.join(posix.dirname(path), target)
  if (inDocs.startsWith('..')) return REPOSITORY + posix.join('docs', inDocs) + (anchor ? `#${anchor}` : '')
  const file = inDocs.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, end)
  return posix.relative(posix.dirname(path), file) + (anchor ? `#${anchor}` : '')
}
