/** @jest-environment node */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { anchorsOf, listFiles, prose, read, ROOT } from '../support/markdown'

const PAGES = listFiles('*.md').filter((path) => existsSync(resolve(ROOT, path)))

/** Returns the relative links of a page as targets and anchors. */
const linksOf = (page: string) =>
  [...prose(read(page)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, target, anchor]) => ({
    path: target ? join(dirname(page), target) : page,
    anchor,
  }))

const isBroken = ({ path, anchor }: { path: string; anchor?: string }) =>
  !existsSync(resolve(ROOT, path)) || (anchor !== undefined && !anchorsOf(read(path)).has(anchor))

test.each(PAGES)('%s links only to existing files and sections', (page) => {
  expect(linksOf(page).filter(isBroken)).toEqual([])
})

test('docs/README.md lists every page', () => {
  const listed = linksOf('docs/README.md').map(({ path }) => path)
  expect(
    PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md' && !listed.includes(page)),
  ).toEqual([])
})

/** Citations in the sources: `docs/reference/protocol.md#4.2` and the short form `protocol.md §4.2`. */
const CITATION = /(?<path>docs\/[\w/-]+\.md)(?:#(?<anchor>[\w.-]*\w))?|protocol\.md §(?<section>\d+(?:\.\d+)?)/g

const SOURCES = listFiles(
  'src',
  'service/src',
  'service/bin',
  'test',
  'service/test',
  'e2e',
  'bench',
  'examples',
  'scripts',
)

test('sources cite only existing pages and sections', () => {
  const cited = SOURCES.filter((file) => /\.(ts|mjs|js|md)$/.test(file) && existsSync(resolve(ROOT, file))).flatMap(
    (file) =>
      [...read(file).matchAll(CITATION)].map(({ groups }) => ({
        file,
        path: groups!.path ?? 'docs/reference/protocol.md',
        anchor: groups!.section ?? groups!.anchor,
      })),
  )
  expect(cited.length).toBeGreaterThan(50)
  expect(cited.filter(isBroken)).toEqual([])
})
