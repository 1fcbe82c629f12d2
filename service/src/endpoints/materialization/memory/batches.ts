/** Sends requests together that come while an earlier one of the same key is in progress. */
export interface Batches<Item, Value> {
  /** Resolves with the value of an item. `send` returns the values of items in their order. */
  add(key: string, item: Item, send: (items: readonly Item[]) => Promise<readonly Value[]>): Promise<Value>
}

interface Waiting<Item> {
  readonly items: Item[]
  readonly sent: Promise<readonly unknown[]>
}

/**
 * Creates batches. A request is sent at once if none of its key is in progress, so a single caller does not wait. What is sent
 * always begins after the request, so it sees everything that the caller has seen.
 */
export const createBatches = <Item, Value>(): Batches<Item, Value> => {
  const running = new Map<string, Promise<unknown>>()
  const waiting = new Map<string, Waiting<Item>>()

  const start = (key: string, send: () => Promise<readonly Value[]>): Promise<readonly Value[]> => {
    const sent = send()
    const done = sent
      .catch(() => {}) // the callers handle it
      .then(() => {
        if (running.get(key) === done) running.delete(key)
      })
    running.set(key, done)
    return sent
  }

  return {
    async add(key, item, send) {
      const before = running.get(key)
      if (!before) return (await start(key, () => send([item])))[0]!
      const joined = waiting.get(key)
      if (joined) {
        const place = joined.items.push(item) - 1
        return (await joined.sent)[place] as Value
      }
      const items = [item]
      const sent = before.then(() => {
        waiting.delete(key)
        return start(key, () => send(items))
      })
      waiting.set(key, { items, sent })
      return (await sent)[0]!
    },
  }
}
