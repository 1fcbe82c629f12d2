import { CURRENCY } from '../catalog/products.mjs'
import { EMPTY_BASKET } from '../server/basket.mjs'
import { html } from '../server/html.mjs'
import { icon, productArt } from '../views/art.mjs'
import { price } from '../views/price.mjs'
import { notFoundPage } from './notFound.mjs'

const orderLines = (lines) =>
  html`<ul class="brief">
    ${lines.map(({ product, quantity }) => html`<li><span class="brief-art tint-${product.category}">${productArt(product)}</span><span>${quantity} × ${product.name}</span><span class="price">${price(product.price * quantity)}</span></li>`)}
  </ul>`

export const checkoutPage = ({ basket, person }) => {
  if (basket.count === 0) return { redirect: '/basket' }
  return {
    title: 'Checkout',
    body: html` <div class="wide block">
      <header class="heading">
        <h1>At the till</h1>
        <p class="lead">No money changes hands and nothing is sent. Make something up.</p>
      </header>
      <form method="post" action="/checkout" class="with-side">
        <div class="fields">
          <label
            >Name <input name="name" required maxlength="80" autocomplete="off" value="${person?.name ?? ''}"
          /></label>
          <label
            >Where to
            <input name="place" required maxlength="120" autocomplete="off" placeholder="Third hut, left bunk"
          /></label>
          <fieldset>
            <legend>Parcel</legend>
            <label class="choice"><input type="radio" name="parcel" value="paper" checked /> Paper and string</label>
            <label class="choice"><input type="radio" name="parcel" value="none" /> None, I have a pack</label>
          </fieldset>
        </div>
        <aside class="side" aria-label="Your order">
          ${orderLines(basket.lines)}
          <dl class="sum">
            <div class="sum-total">
              <dt>Total</dt>
              <dd>${price(basket.total)}</dd>
            </div>
          </dl>
          <button class="button full" id="place-order">Place the order ${icon('arrow')}</button>
        </aside>
      </form>
    </div>`,
  }
}

export const placeOrder = ({ basket, form, orders }) => {
  if (basket.count === 0) return { redirect: '/basket' }
  const order = orders.place(basket, form.get('name')?.trim().slice(0, 80) ?? '')
  return { redirect: `/orders/${order.id}`, cookies: [EMPTY_BASKET] }
}

/** Properties of `purchase`: the amount as a number, its currency, and the items. */
const purchaseOf = (order) => ({
  order_id: order.id,
  amount: order.total,
  currency: order.currency ?? CURRENCY,
  items: order.lines.map(({ product, quantity }) => ({ product: product.slug, quantity, price: product.price })),
  item_count: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
})

export const orderPage = (visit) => {
  const order = visit.orders.find(visit.params.id)
  if (!order) return notFoundPage(visit)
  // shop.js captures the purchase from these, with the order's own id and time, so that a reload sends the same event.
  return {
    title: 'Thank you',
    body: html` <div
      class="narrow block thanks"
      id="order"
      data-purchase="${JSON.stringify(purchaseOf(order))}"
      data-order="${order.id}"
      data-placed-at="${order.placedAt.toISOString()}"
    >
      <p class="stamp">${icon('check')}</p>
      <h1>Thank you${order.customer && html`, ${order.customer}`}</h1>
      <p class="lead">It is wrapped and on its way, in spirit.</p>
      ${orderLines(order.lines)}
      <dl class="sum">
        <div class="sum-total">
          <dt>Total</dt>
          <dd>${price(order.total)}</dd>
        </div>
      </dl>
      <p class="actions">
        <a class="button" href="/results">See it in the results</a>
        <a class="button quiet" href="/">Back to the shelves</a>
      </p>
    </div>`,
  }
}
