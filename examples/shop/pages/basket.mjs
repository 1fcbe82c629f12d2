import { changedBasket } from '../server/basket.mjs'
import { html } from '../server/html.mjs'
import { icon, productArt } from '../views/art.mjs'
import { price } from '../views/price.mjs'

const emptyBasket = html` <div class="empty">
  <p class="lead">Nothing in it yet. A lantern is a good start.</p>
  <p><a class="button" href="/category/light">See the lanterns</a></p>
</div>`

const basketLine = ({ product, quantity }) =>
  html` <li class="line">
    <div class="line-art tint-${product.category}">${productArt(product)}</div>
    <div class="line-words">
      <h2><a href="/product/${product.slug}">${product.name}</a></h2>
      <p>${price(product.price)} each</p>
    </div>
    <form method="post" action="/basket/change" class="stepper" aria-label="How many: ${product.name}">
      <input type="hidden" name="slug" value="${product.slug}" />
      <button
        name="quantity"
        value="${quantity - 1}"
        aria-label="${quantity === 1 ? 'Take out' : 'One less'}: ${product.name}"
      >
        −
      </button>
      <output>${quantity}</output>
      <button
        name="quantity"
        value="${quantity + 1}"
        aria-label="One more: ${product.name}"
        ${quantity >= 9 && 'disabled'}
      >
        +
      </button>
    </form>
    <p class="price">${price(product.price * quantity)}</p>
  </li>`

export const basketPage = ({ basket }) => ({
  title: 'Basket',
  body: html` <div class="wide block">
    <header class="heading"><h1>Basket</h1></header>
    ${
      basket.count === 0
        ? emptyBasket
        : html` <div class="with-side">
            <ul class="lines">
              ${basket.lines.map(basketLine)}
            </ul>
            <aside class="side" aria-label="Total">
              <dl class="sum">
                <div>
                  <dt>Things</dt>
                  <dd>${basket.count}</dd>
                </div>
                <div>
                  <dt>Delivery</dt>
                  <dd>On foot, free</dd>
                </div>
                <div class="sum-total">
                  <dt>Total</dt>
                  <dd>${price(basket.total)}</dd>
                </div>
              </dl>
              <a
                class="button full"
                id="to-checkout"
                href="/checkout"
                data-event="checkout started"
                data-properties="${JSON.stringify({ amount: basket.total, items: basket.count })}"
                >To the till ${icon('arrow')}</a
              >
            </aside>
          </div>`
    }
  </div>`,
})

export const addToBasket = ({ basket, form }) => ({
  redirect: '/basket',
  cookies: [changedBasket(basket, { slug: form.get('slug'), more: form.get('quantity') ?? 1 })],
})

export const changeBasket = ({ basket, form }) => ({
  redirect: '/basket',
  cookies: [changedBasket(basket, { slug: form.get('slug'), quantity: form.get('quantity') })],
})
