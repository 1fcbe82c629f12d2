import { setImmediate } from 'node:timers/promises'

/** Rows of one query. SQLite queries run on the event loop's thread: 1,000 rows of strings take 5 to 10 ms. */
const PAGE_ROWS = 1_000

/**
 * Goes through a long list in pages, between which other work has its turn, and returns its rows. `readPage` returns up
 * to `limit` rows after a key, in the order of the keys.
 */
export const inPages = async <Row>(
  readPage: (after: string, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<Row[]> => {
  const pages: Row[][] = []
  for (let after = ''; ;) {
    const page = await readPage(after, PAGE_ROWS)
    pages.push(page)
    if (page.length < PAGE_ROWS) return pages.flat()
    after = keyOf(page.at(-1)!)
    await setImmediate()
  }
}
