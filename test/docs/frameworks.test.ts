/** @jest-environment node */
import { listFiles, read } from '../support/markdown'

/** Code blocks that begin with the path of an example's file. */
const SNIPPET = /```tsx?\n\/\/ (examples\/\S+)\n([^]*?)```/g
const pages = listFiles('docs/guides/frameworks/*.md')
const snippets = pages.flatMap((page) =>
  [...read(page).matchAll(SNIPPET)].map(([, file, code]) => ({ page, file: file!, code })),
)
/** Pages that link their example, whose blocks are parts of its files. */
const linked = pages.flatMap((page) => {
  const [, example] = /\(\.\.\/\.\.\/\.\.\/examples\/([\w-]+)\)/.exec(read(page)) ?? []
  return example && !snippets.some((snippet) => snippet.page === page) ? [{ page, example }] : []
})
const words = (text: string) => text.replace(/\s+/g, ' ').trim()

test('each page of a framework has code of an example', () => {
  expect([...new Set([...linked, ...snippets].map(({ page }) => page))].sort()).toEqual([...pages].sort())
  expect(pages.length).toBeGreaterThanOrEqual(8)
})

// test/frameworks/ builds and drives the examples.
test.each(snippets)('$page shows $file as it is', ({ file, code }) => {
  expect(code).toBe(read(file))
})

test.each(linked)('the code on $page is that of examples/$example', ({ page, example }) => {
  const sources = listFiles(`examples/${example}/**`).map((file) => words(read(file)))
  const blocks = [...read(page).matchAll(/^```(?!sh)\w+\n([\s\S]*?)^```/gm)].map(([, code]) => words(code!))
  expect(blocks.length).toBeGreaterThan(0)
  expect(blocks.filter((block) => !sources.some((source) => source.includes(block)))).toEqual([])
})
