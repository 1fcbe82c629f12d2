import { CATEGORIES, PRODUCTS } from '../catalog/products.mjs'
import { html } from '../server/html.mjs'
import { icon, shelfArt, valley } from '../views/art.mjs'
import { productCard } from '../views/productCard.mjs'

const PROMISES = [
  ['mend', 'Mended for life', 'Send it back torn, get it back whole.'],
  ['leaf', 'Made within a day’s train', 'Nine workshops, all of them visited.'],
  ['mountain', 'Tried by slow walkers', 'If it survives us, it will survive you.'],
]

export const homePage = () => ({
  title: 'Quiet gear for long walks',
  bodyClass: 'home',
  body: html` <section class="hero">
      ${valley}
      <div class="wide hero-words">
        <p class="eyebrow">Autumn shelf, number nine</p>
        <h1>Quiet gear for <em>long walks</em></h1>
        <p class="lead">Nine things for people who walk slowly, stay late and come home after dark.</p>
        <p class="actions">
          <a class="button" id="hero-shop" href="/category/light">See the lanterns</a>
          <a class="button quiet" href="/app">Plan a walk</a>
        </p>
      </div>
    </section>

    <section class="wide block" aria-labelledby="shelves">
      <h2 id="shelves">Three shelves</h2>
      <ul class="shelves">
        ${CATEGORIES.map(
          (category) =>
            html` <li class="shelf tint-${category.slug}">
              <div>
                <h3><a href="/category/${category.slug}">${category.name}</a></h3>
                <p>${category.line}</p>
              </div>
              ${shelfArt(category.slug)}
            </li>`,
        )}
      </ul>
    </section>

    <section class="wide block" aria-labelledby="favorites">
      <h2 id="favorites">What people keep</h2>
      <ul class="cards four">
        ${PRODUCTS.filter(({ favorite }) => favorite).map((product) => productCard(product))}
      </ul>
    </section>

    <section class="wide block" aria-label="What we promise">
      <ul class="promises">
        ${PROMISES.map(
          ([sign, name, text]) =>
            html`<li>
              ${icon(sign)}
              <h3>${name}</h3>
              <p>${text}</p>
            </li>`,
        )}
      </ul>
    </section>`,
})
