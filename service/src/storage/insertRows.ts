import { type Storage, StorageError } from './storage.ts'

const isData = (error: unknown) => error instanceof StorageError && error.kind === 'data'

/**
 * Inserts lines; those that the engine refuses are left out, whatever their number. The engine reads over lines it cannot read; where it refuses the rest all the same, halves find the line.
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

/** The lines in a buffer, each with its line break. JSON has no line break of its own. */
export const linesOf = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

/** Inserts lines as one block; if the engine refuses some of them, the others without those. Resolves with whether it took all. */
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
