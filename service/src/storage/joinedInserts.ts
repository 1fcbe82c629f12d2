/**
 * Returns a function that stores lines by `insert`, one insert at a time: lines that arrive during an insert form the next one.
 * It resolves when its lines are stored, and rejects if their insert does.
 */
export const joinInserts = (
  insert: (lines: readonly string[]) => Promise<unknown>,
): ((lines: readonly string[]) => Promise<void>) => {
  let waiting: string[] = []
  let next: Promise<void> | undefined
  let current: Promise<unknown> = Promise.resolve()
  return (lines) => {
    if (!lines.length) return Promise.resolve()
    waiting = waiting.concat(lines)
    next ??= current.then(async () => {
      const batch = waiting
      waiting = []
      next = undefined
      const inserted = insert(batch)
      current = inserted.catch(() => {}) // Callers that await the insert receive the error.
      await inserted
    })
    return next
  }
}
