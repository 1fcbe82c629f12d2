import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const ROOT = resolve(__dirname, '../..')

export const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')

/** Returns the paths of tracked and new unignored files that match patterns of `git ls-files`. */
export const listFiles = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)

/** Returns the text of a page without code blocks and code spans, where brackets are not links. */
export const prose = (page: string) => page.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')

/** Returns the anchor GitHub generates for a heading. */
const slugOf = (heading: string) =>
  heading
    .replace(/<[^>]*>/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Returns the anchors of a page: its headings, numbered when repeated, and its `<a id="…">`. */
export const anchorsOf = (page: string): Set<string> => {
  const seen = new Map<string, number>()
  const text = page.replace(/^```[\s\S]*?^```/gm, '')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    const slug = slugOf(heading!.trim())
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count ? `${slug}-${count}` : slug
  })
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)])
}

/** Escapes text for a table cell. */
export const cell = (text: string) => text.replaceAll('|', '\\|')

/** Formats code for a table cell. */
export const code = (text: string) => `\`${cell(text)}\``

/** Returns a Markdown table. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Asserts that a page equals the output of its generator. With WRITE_DOCS (`npm run docs`), writes it first. */
export const expectPage = (path: string, generated: string) => {
  if (process.env.WRITE_DOCS) writeFileSync(resolve(ROOT, path), generated)
  if (read(path) !== generated) throw new Error(`${path} is out of date. Run: npm run docs`)
}
