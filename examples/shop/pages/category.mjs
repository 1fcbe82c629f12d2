import { categoryBySlug, productsOf } from '../catalog/products.mjs'
import { html } from '../server/html.mjs'
import { productCard } from '../views/productCard.mjs'
import { notFoundPage } from './notFound.mjs'

export const categoryPage = (visit) => {
  const category = categoryBySlug(visit.params.slug)
  if (!category) return notFoundPage(visit)
  return {
    title: category.name,
    body: html` <div class="wide block">
      <header class="heading">
        <p class="eyebrow">${category.line}</p>
        <h1>${category.name}</h1>
        <p class="lead">${category.text}</p>
      </header>
      <ul class="cards three">
        ${productsOf(category).map((product) => productCard(product, 'h2'))}
      </ul>
    </div>`,
  }
}
