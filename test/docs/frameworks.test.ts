/** @jest-environment node */
import { listFiles, read } from '../support/markdown'

const PAGES = listFiles('docs/guides/frameworks/*.md').flatMap((page) => {
  const [, example] = /\(\.\.\/\.\.\/\.\.\/examples\/([\w-]+)\)/.exec(read(page)) ?? []
  return example ? [{ page, example }] : []
})
const words = (text: string) => text.replace(/\s+/g, ' ').trim()

test('the pages of frameworks link their examples', () => {
  expect(PAGES.map(({ example }) => example)).toEqual(
    expect.arrayContaining(['angular', 'astro', 'nuxt', 'sveltekit', 'vue-vite']),
  )
})

// test/frameworks/ builds and drives the examples.
test.each(PAGES)('the code on $page is that of examples/$example', ({ page, example }) => {
  const sources = listFiles(`examples/${example}/**`).map((file) => words(read(file)))
  const blocks = [...read(page).matchAll(/^```(?!sh)\w+\n([\s\S]*?)^```/gm)].map(([, code]) => words(code!))
  expect(blocks.length).toBeGreaterThan(0)
  expect(blocks.filter((block) => !sources.some((source) => source.includes(block)))).toEqual([])
})
