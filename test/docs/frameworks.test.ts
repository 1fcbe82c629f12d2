/** @jest-environment node */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { listFiles, read, ROOT } from '../support/markdown'

/** Code blocks that begin with the path of an example's file. */
const SNIPPET = /```tsx?\n\/\/ (examples\/\S+)\n([^]*?)```/g
const snippets = listFiles('docs/guides/frameworks')
  .filter((page) => existsSync(resolve(ROOT, page)))
  .flatMap((page) => [...read(page).matchAll(SNIPPET)].map(([, file, code]) => ({ page, file: file!, code })))

test.each(snippets)('$page shows $file as it is', ({ file, code }) => {
  expect(code).toBe(read(file))
})

test('there are such snippets', () => {
  expect(snippets.length).toBeGreaterThan(8)
})
