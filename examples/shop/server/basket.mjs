import { productBySlug } from '../catalog/products.mjs'

const MOST_OF_ONE = 9

const asQuantity = (text) => Math.min(MOST_OF_ONE, Math.max(0, Math.trunc(Number(text)) || 0))

/** Reads the basket from a cookie such as `ember-lantern.2~enamel-mug.1`. Items that are not in the catalog are left out. */
export const readBasket = (cookie = '') => {
  const lines = cookie
    .split('~')
    .map((part) => part.split('.'))
    .map(([slug, quantity]) => ({ product: productBySlug(slug), quantity: asQuantity(quantity) }))
    .filter(({ product, quantity }) => product && quantity > 0)
  return {
    lines,
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    total: lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0),
  }
}

const toCookie = (lines) => ({
  name: 'basket',
  value: lines.map(({ product, quantity }) => `${product.slug}.${quantity}`).join('~'),
  days: 7,
})

export const EMPTY_BASKET = toCookie([])

/** Returns the cookie of `basket` with `slug` in this quantity. 0 removes it; `more` adds to the current quantity. */
export const changedBasket = (basket, { slug, quantity, more }) => {
  const product = productBySlug(slug)
  if (!product) return toCookie(basket.lines)
  const there = basket.lines.find((line) => line.product === product)?.quantity ?? 0
  const wanted = more === undefined ? asQuantity(quantity) : asQuantity(there + asQuantity(more))
  const others = basket.lines.map((line) => (line.product === product ? { product, quantity: wanted } : line))
  const lines = there ? others : [...others, { product, quantity: wanted }]
  return toCookie(lines.filter((line) => line.quantity > 0))
}
