import { html } from '../server/html.mjs'
import { productArt } from './art.mjs'
import { price } from './price.mjs'

/** A product on a shelf. */
export const productCard = (product, heading = 'h3') =>
  html` <li class="card">
    <div class="card-art tint-${product.category}">${productArt(product)}</div>
    <div class="card-words">
      ${heading === 'h2' ? html`<h2><a href="/product/${product.slug}">${product.name}</a></h2>` : html`<h3><a href="/product/${product.slug}">${product.name}</a></h3>`}
      <p>${product.line}</p>
      <p class="price">${price(product.price)}</p>
    </div>
  </li>`
