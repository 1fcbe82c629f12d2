import { randomUUID } from 'node:crypto'
import { CURRENCY } from '../catalog/products.mjs'

// Enough for every order whose confirmation page may still be open.
const MOST_KEPT = 500

/** The orders since the server started. The oldest are dropped first. */
export const createOrders = () => {
  const orders = new Map()
  return {
    place: (basket, customer) => {
      const order = {
        id: randomUUID(),
        placedAt: new Date(),
        lines: basket.lines,
        total: basket.total,
        currency: CURRENCY,
        customer,
      }
      orders.set(order.id, order)
      if (orders.size > MOST_KEPT) orders.delete(orders.keys().next().value)
      return order
    },
    find: (id) => orders.get(id),
  }
}
