/** @jest-environment node */
import { analytics } from 'trailmark'
import { createTrailmark } from 'trailmark/vue'
import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { BOOTSTRAP, Checkout, SERVER_HTML } from '../support/vueCheckout'

test('on a server, Vue renders the flags of each visitor and starts nothing', async () => {
  const render = (bootstrap: object) =>
    renderToString(
      createSSRApp(Checkout).use(createTrailmark({ client: analytics, token: 't', options: { bootstrap } })),
    )
  expect(await Promise.all([render(BOOTSTRAP), render({}), render(BOOTSTRAP)])).toEqual([
    SERVER_HTML,
    '<p>[null,null,true,null]</p>',
    SERVER_HTML,
  ])
  expect(analytics.__loaded).toBe(false)
})
