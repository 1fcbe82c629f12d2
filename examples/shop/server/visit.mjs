import { readBasket } from './basket.mjs'
import { readPerson } from './person.mjs'

const MOST_FORM_BYTES = 10_000

const readCookies = (header = '') =>
  Object.fromEntries(
    header
      .split(';')
      .map((pair) => pair.trim().split('='))
      .filter(([name, value]) => name && value)
      .map(([name, value]) => [name, value]),
  )

/** Reads the fields of a form. Returns undefined if it is larger than any form of this shop. */
const readForm = async (request) => {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MOST_FORM_BYTES) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

/** Returns what a page needs of a request: `url`, `params`, `form`, `basket`, `person`, and the `origin` of a form's page. */
export const readVisit = async (request, url, params) => {
  const cookies = readCookies(request.headers.cookie)
  const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams()
  const { origin } = request.headers
  return { url, params, form, origin, basket: readBasket(cookies.basket), person: readPerson(cookies.person) }
}
