import { categoryBySlug, CURRENCY, productBySlug, productsOf } from '../catalog/products.mjs'
import { html } from '../server/html.mjs'
import { productArt } from '../views/art.mjs'
import { price } from '../views/price.mjs'
import { productCard } from '../views/productCard.mjs'
import { notFoundPage } from './notFound.mjs'

export const productPage = (visit) => {
  const product = productBySlug(visit.params.slug)
  if (!product) return notFoundPage(visit)
  const category = categoryBySlug(product.category)
  const properties = { product: product.slug, category: product.category, price: product.price, currency: CURRENCY }
  return {
    title: product.name,
    body: html` <div class="wide block">
      <nav class="crumbs" aria-label="Where you are">
        <a href="/">Home</a> <span aria-hidden="true">/</span> <a href="/category/${category.slug}">${category.name}</a>
      </nav>
      <article class="product">
        <div class="product-art tint-${product.category}">${productArt(product)}</div>
        <div class="product-words">
          <h1>${product.name}</h1>
          <p class="lead">${product.line}</p>
          <p class="price big">${price(product.price)}</p>
          <p>${product.text}</p>
          <form
            method="post"
            action="/basket/add"
            class="buy"
            data-event="product added"
            data-properties="${JSON.stringify(properties)}"
          >
            <input type="hidden" name="slug" value="${product.slug}" />
            <label
              >How many
              <select name="quantity">
                ${[1, 2, 3, 4].map((count) => html`<option>${count}</option>`)}
              </select></label
            >
            <button class="button" id="add-to-basket">Put in the basket</button>
          </form>
          <dl class="facts">
            ${product.facts.map(
              ([name, value]) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>${value}</dd>
                </div>`,
            )}
          </dl>
        </div>
      </article>
      <section class="block" aria-labelledby="beside">
        <h2 id="beside">Beside it on the shelf</h2>
        <ul class="cards two">
          ${productsOf(category)
            .filter((other) => other !== product)
            .map((other) => productCard(other))}
        </ul>
      </section>
    </div>`,
  }
}
