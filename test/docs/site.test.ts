/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { listFiles, ROOT } from '../support/markdown'

/** Gzip bytes of everything that the first page loads, with the search, which it loads when it is idle. */
const MAX_FIRST_LOAD = 100_000

const folder = mkdtempSync(join(tmpdir(), 'trailmark-site-'))
execFileSync(process.execPath, ['site/build.mjs', folder], { cwd: ROOT })
afterAll(() => rmSync(folder, { recursive: true }))

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const pages = files.filter((path) => path.endsWith('.html'))
const twins = files.filter((path) => path.endsWith('.md'))

const idsOf = (() => {
  const known = new Map<string, Set<string>>()
  return (path: string) => {
    const ids = known.get(path) ?? new Set([...read(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))
    known.set(path, ids)
    return ids
  }
})()

const isFile = (path: string) => existsSync(join(folder, path)) && statSync(join(folder, path)).isFile()

/** Whether a link to a file or section of the site leads nowhere. Sections of Markdown files are those of their pages. */
const isDead = (from: string, href: string): boolean => {
  const [path, anchor] = href.split('#')
  const target = path ? posix.join(dirname(from), path) : from
  return !isFile(target) || (!!anchor && !idsOf(target.replace(/\.md$/, '.html')).has(decodeURIComponent(anchor)))
}

const deadIn = (from: string, links: Iterable<RegExpMatchArray>): string[] =>
  [...links]
    .map(([, href]) => href!)
    .filter((href) => !/^[a-z]+:/.test(href) && isDead(from, href))
    .map((href) => `${from}: ${href}`)

test('the site has every page of docs/, and no link or anchor of it is dead', () => {
  const sources = listFiles('docs/*.md').filter((path) => existsSync(join(ROOT, path)))
  expect(pages.map((path) => path.replace(/\.html$/, '.md')).sort()).toEqual(
    sources.map((path) => relative('docs', path).replace('README', 'index')).sort(),
  )
  const dead = pages.flatMap((page) => deadIn(page, read(page).matchAll(/ (?:href|src|data-search)="([^"]+)"/g)))
  expect(dead).toEqual([])
})

const withoutCode = (text: string) => text.replace(/^(`{3,})[\s\S]*?^\1|`[^`\n]+`/gm, '')

test('each page has a Markdown twin that links to the index, with links that work in the site', () => {
  expect(twins.map((path) => path.replace(/\.md$/, '.html')).sort()).toEqual([...pages].sort())
  const texts = twins.map((path) => ({ path, text: withoutCode(read(path)) }))
  expect(texts.filter(({ text }) => !text.includes('llms.txt)'))).toEqual([])
  expect(texts.flatMap(({ path, text }) => deadIn(path, text.matchAll(/\]\(([^)\s]+)\)/g)))).toEqual([])
})

test('llms.txt lists every page by its twin, and llms-full.txt has their text', () => {
  const index = read('llms.txt')
  expect(index).toMatch(/^# Trailmark\n\n> .+\n/)
  const listed = [...index.matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, path]) => path)
  expect(listed.sort()).toEqual(twins.filter((path) => path !== 'index.md').sort())
  const full = read('llms-full.txt')
  expect(full).toContain('# Getting started')
  expect(deadIn('llms-full.txt', withoutCode(full).matchAll(/\]\(([^)\s]+)\)/g))).toEqual([])
})

type Search = (query: string) => readonly { readonly url: string; readonly title: string }[]

const loadSearch = (): Search => {
  const found: { searchTrailmarkDocs?: Search } = {}
  runInNewContext(read(files.find((path) => /^assets\/search-.*\.js$/.test(path))!), found)
  return found.searchTrailmarkDocs!
}

test('the search needs no network, and finds pages and sections by words, beginnings and with typing errors', () => {
  const search = loadSearch()
  const first = (query: string) => search(query)[0]?.url
  expect(first('reverse proxy')).toBe('guides/proxies.html')
  expect(first('retension')).toMatch(/^operate\/retention\.html/)
  expect(first('getFeatureFl')).toMatch(/^reference\/javascript-api\.html#getfeatureflag/)
  expect(first('masking')).toMatch(/^guides\/session-recording\.html/)
  expect(search('xylophone zzz')).toEqual([])
  const urls = [...new Set(['a', 'events', 'session', 'token', 'limit'].flatMap(search).map(({ url }) => url))]
  expect(urls.length).toBeGreaterThan(20)
  expect(urls.filter((url) => isDead('index.html', url))).toEqual([])
})

test(`the first page loads at most ${MAX_FIRST_LOAD} bytes, only from the site`, () => {
  const html = read('index.html')
  const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*>/g)]
    .filter(([tag]) => !tag.includes('alternate'))
    .flatMap(([tag]) => [...tag.matchAll(/(?:src|href|data-search)="([^"]+)"/g)].map(([, path]) => path!))
  expect(loaded.filter((path) => /^(?:[a-z]+:|\/)/.test(path))).toEqual([])
  const sizes = ['index.html', ...new Set(loaded)].map((path) => gzipSync(read(path), { level: 9 }).length)
  expect(sizes).toHaveLength(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD)
})

test('pages have no inline scripts or styles, which their policy forbids', () => {
  const inline = /<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|javascript:/
  expect(pages.filter((page) => inline.test(read(page).replace(/<code[\s\S]*?<\/code>/g, '')))).toEqual([])
})
