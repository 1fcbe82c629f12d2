import { expect } from 'playwright/test'
import { checkFramework } from './support/checks'

checkFramework({
  example: 'next',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/[slug]' },
  edited: 'app/page.tsx',
  more: {
    'captures errors of the server': async ({ url, collector }) => {
      await fetch(`${url}/broken?secret=1`)
      const { properties } = (await collector.waitFor('$exception'))[0]!
      expect(JSON.stringify(properties)).toContain('Broken on the server')
      expect(JSON.stringify(properties)).not.toContain('secret')
      expect(properties).toMatchObject({ $pathname: '/broken', $route: '/broken' })
    },
    'passes requests on from its own domain': async ({ url, collector }) => {
      collector.setFlags({ 'new-checkout': 'short' })
      const answer = await fetch(`${url}/ingest/flags/?v=2`, {
        method: 'POST',
        body: '{"token":"t","distinct_id":"d"}',
      })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('short')
    },
  },
})
