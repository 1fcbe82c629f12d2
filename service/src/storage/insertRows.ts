import { type Storage, StorageError } from './storage.ts'

const isData = (error: unknown) => error instanceof StorageError && error.kind === 'data'

/**
 * Inserts lines and leaves out those that the engine rejects. The engine skips lines it cannot parse. If it still
 * rejects the batch, bisecting finds the line.
 */
const insertReadable = async (
  { insert }: Pick<Storage, 'insert'>,
  table: string,
  lines: readonly Buffer[],
): Promise<void> => {
  if (!lines.length) return
  try {
    await insert(table, Buffer.concat(lines), { skipsUnreadable: true })
  } catch (error) {
    if (!isData(error)) throw error
    if (lines.length === 1) return
    const half = lines.length >> 1
    await insertReadable({ insert }, table, lines.slice(0, half))
    await insertReadable({ insert }, table, lines.slice(half))
  }
}

/** Splits a buffer into lines, each with its line break. JSON contains no line breaks. */
export const linesOf = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

/**
 * Inserts lines as one block, without those that the engine rejects. Resolves with whether all were inserted.
 */
export const insertAll = async (storage: Pick<Storage, 'insert'>, table: string, bytes: Buffer): Promise<boolean> => {
  try {
    await storage.insert(table, bytes)
    return true
  } catch (error) {
    if (!isData(error)) throw error
    await insertReadable(storage, table, linesOf(bytes))
    return false
  }
}
