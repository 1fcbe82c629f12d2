import { setImmediate } from 'node:timers/promises'

/** Rows of one query. SQLite queries run on the event loop's thread: 500 rows of strings take 3 to 5 ms. */
const PAGE_ROWS = 500

/**
 * Goes through a long list in pages, between which other work has its turn. `readPage` returns up to `limit` rows after a
 * key, in the order of the keys. `take` gets the rows of each page in the turn that read them: converting all rows at the
 * end would hold the event loop longer than any page.
 */
export const inPages = async <Row>(
  readPage: (after: string, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  take: (row: Row) => void,
): Promise<void> => {
  for (let after = ''; ;) {
    const page = await readPage(after, PAGE_ROWS)
    page.forEach(take)
    if (page.length < PAGE_ROWS) return
    after = keyOf(page.at(-1)!)
    await setImmediate()
  }
}
