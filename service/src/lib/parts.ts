// The engine rejects statements with a parameter of more than 128 KiB. This leaves some room.
const MAX_BYTES = 100_000

// Returns an upper bound of the bytes as an SQL literal: quoted, with characters such as \ and ' escaped.
const bytesOf = (text: string) => Buffer.byteLength(text) + 3 * (text.match(/[\\'"\p{Cc}]/gu)?.length ?? 0) + 3

/** Splits strings into lists that each fit into one parameter of a statement. */
export const inParts = (texts: readonly string[]): string[][] => {
  const parts: string[][] = []
  let left = 0
  for (const text of texts) {
    const bytes = bytesOf(text)
    if (bytes > left) {
      parts.push([])
      left = MAX_BYTES
    }
    parts.at(-1)!.push(text)
    left -= bytes
  }
  return parts
}

/** Calls `query` with each part of some strings. Returns all rows. */
export const queryInParts = async <Row>(
  texts: readonly string[],
  query: (part: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> => {
  const rows: Row[] = []
  // Sequentially, because parallel statements would take a connection each.
  for (const part of inParts(texts)) for (const row of await query(part)) rows.push(row)
  return rows
}
