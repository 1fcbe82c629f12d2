import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { accountPage, signIn, signInPage, signOut } from './pages/account.mjs'
import { appPage } from './pages/app.mjs'
import { behindPage, changeRecording, openToolbar } from './pages/behind.mjs'
import { addToBasket, basketPage, changeBasket } from './pages/basket.mjs'
import { categoryPage } from './pages/category.mjs'
import { checkoutPage, orderPage, placeOrder } from './pages/checkout.mjs'
import { homePage } from './pages/home.mjs'
import { notFoundPage } from './pages/notFound.mjs'
import { productPage } from './pages/product.mjs'
import { resultsPage, storedEvents } from './pages/results.mjs'
import { sendAnswer, sendFile } from './server/answer.mjs'
import { createOrders } from './server/orders.mjs'
import { createRouter } from './server/router.mjs'
import { createTrailmark } from './server/trailmark.mjs'
import { readVisit } from './server/visit.mjs'
import { layout } from './views/layout.mjs'

const ROUTES = [
  ['GET', '/', homePage],
  ['GET', '/category/:slug', categoryPage],
  ['GET', '/product/:slug', productPage],
  ['GET', '/basket', basketPage],
  ['POST', '/basket/add', addToBasket],
  ['POST', '/basket/change', changeBasket],
  ['GET', '/checkout', checkoutPage],
  ['POST', '/checkout', placeOrder],
  ['GET', '/orders/:id', orderPage],
  ['GET', '/sign-in', signInPage],
  ['POST', '/sign-in', signIn],
  ['GET', '/account', accountPage],
  ['POST', '/sign-out', signOut],
  ['GET', '/app/*', appPage],
  ['GET', '/behind', behindPage],
  ['POST', '/behind/recording', changeRecording],
  ['POST', '/behind/toolbar', openToolbar],
  ['GET', '/results', resultsPage],
  ['GET', '/stored', storedEvents],
]

const fail = (message) => {
  process.stderr.write(`shop: ${message}\n`)
  process.exit(1)
}

/** Settings from the environment. `npm start` sets all of them. */
const readSettings = (env) => {
  const port = Number(env.TRAILMARK_DEMO_PORT || 8001)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    fail(
      `TRAILMARK_DEMO_PORT expects a port number from 0 to 65535, where 0 is any free port, got "${env.TRAILMARK_DEMO_PORT}".`,
    )
  if (!env.TRAILMARK_PROJECT_TOKEN)
    fail(
      'TRAILMARK_PROJECT_TOKEN is not set: it takes the token that the service prints when it starts. `npm start` in the repository does all this.',
    )
  const keyFile = env.TRAILMARK_KEY_FILE
  let personalApiKey = env.TRAILMARK_PERSONAL_API_KEY
  if (!personalApiKey && keyFile) {
    try {
      personalApiKey = readFileSync(keyFile, 'utf8').trim()
    } catch (error) {
      fail(`cannot read the personal API key from ${keyFile} (${error.code}).`)
    }
  }
  if (!personalApiKey)
    fail('no personal API key: set TRAILMARK_KEY_FILE to the file that holds it, or TRAILMARK_PERSONAL_API_KEY.')
  return {
    port,
    host: env.TRAILMARK_HOST || '127.0.0.1',
    service: {
      url: (env.TRAILMARK_URL || 'http://127.0.0.1:8000').replace(/\/+$/, ''),
      token: env.TRAILMARK_PROJECT_TOKEN,
      projectId: env.TRAILMARK_PROJECT_ID || 1,
      personalApiKey,
    },
  }
}

const settings = readSettings(process.env)
const trailmark = createTrailmark(settings.service)
const orders = createOrders()
const route = createRouter(ROUTES)

const answerTo = async (request, response) => {
  if (!URL.canParse(`http://shop.invalid${request.url}`)) return response.writeHead(400).end()
  const url = new URL(`http://shop.invalid${request.url}`)
  const found = route(request.method, url.pathname)
  if (!found && request.method === 'GET' && (await sendFile(response, url.pathname))) return
  // Pages of other sites must not change a visitor's basket.
  if (request.method === 'POST' && request.headers['sec-fetch-site'] === 'cross-site')
    return response.writeHead(403).end()

  const nonce = randomBytes(16).toString('base64')
  const visit = await readVisit(request, url, found?.params ?? {})
  if (!visit.form) return response.writeHead(413).end()
  const around = { ...visit, orders, trailmark, nonce }
  const page = await (found?.page ?? notFoundPage)(around)
  const answer = page.body ? { ...page, document: layout(page, around) } : page
  sendAnswer(response, answer, { nonce, serviceOrigin: new URL(trailmark.url).origin })
}

const server = createServer((request, response) => {
  answerTo(request, response).catch((error) => {
    console.error(error)
    if (!response.headersSent)
      response
        .writeHead(500, { 'Content-Type': 'text/plain' })
        .end('Something went wrong in the shop. Its terminal says what.')
    else response.destroy()
  })
})

server.on('error', (error) => {
  if (error.code === 'EADDRINUSE')
    fail(
      `port ${settings.port} on ${settings.host} is taken: stop what uses it, or set TRAILMARK_DEMO_PORT to another port (0 is any free one).`,
    )
  fail(
    `cannot listen on port ${settings.port} of ${settings.host} (${error.code}): set TRAILMARK_DEMO_PORT to another port.`,
  )
})

const stop = () => {
  server.close(() => process.exit(0))
  server.closeAllConnections()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

server.listen(settings.port, settings.host, async () => {
  await trailmark
    .define()
    .catch((error) =>
      process.stderr.write(`shop: the endpoints of the results page could not be written yet: ${error.message}\n`),
    )
  const { address, family, port } = server.address()
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  // For programs that start the shop: the format of this line is stable.
  process.stdout.write(`shop ready ${JSON.stringify({ url: `http://${host}:${port}` })}\n`)
})
