export interface FairQueue<Item> {
  add(client: string, item: Item): void
  /** Removes the next item. Clients take turns, however many items they have. `undefined`: the queue is empty. */
  take(): Item | undefined
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  const queues = new Map<string, Item[]>()
  return {
    add(client, item) {
      const queue = queues.get(client)
      if (queue) queue.push(item)
      else queues.set(client, [item])
    },
    take() {
      const [first] = queues
      if (!first) return undefined
      const [client, queue] = first
      const item = queue.shift()
      // A client with more items goes to the end.
      queues.delete(client)
      if (queue.length) queues.set(client, queue)
      return item
    },
  }
}
