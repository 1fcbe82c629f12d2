// An engine takes a parameter of 128 KiB at most and refuses the whole statement beyond; this leaves it some room.
const MOST_BYTES = 100_000

// As an SQL literal: quoted, with characters such as \ and ' escaped.
const bytesOf = (text: string) => Buffer.byteLength(text) + 3 * (text.match(/[\\'"\p{Cc}]/gu)?.length ?? 0) + 3

/** Texts in lists that are each small enough to be one parameter of a statement. */
export const inParts = (texts: readonly string[]): string[][] => {
  const parts: string[][] = []
  let left = 0
  for (const text of texts) {
    const bytes = bytesOf(text)
    if (bytes > left) {
      parts.push([])
      left = MOST_BYTES
    }
    parts.at(-1)!.push(text)
    left -= bytes
  }
  return parts
}

/** What `ask` answers for each part of some texts, together. */
export const askInParts = async <Row>(
  texts: readonly string[],
  ask: (part: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> => {
  const rows: Row[] = []
  // One after the other: beside each other they would take as many connections as there are parts.
  for (const part of inParts(texts)) for (const row of await ask(part)) rows.push(row)
  return rows
}
