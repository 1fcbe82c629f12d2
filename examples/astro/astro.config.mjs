import node from '@astrojs/node'
import { defineConfig } from 'astro/config'
import trailmark from 'trailmark/astro'

const { PUBLIC_TRAILMARK_HOST: api_host, PUBLIC_TRAILMARK_TOKEN: token } = process.env

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  integrations: [trailmark({ token, options: { api_host, defaults: '2026-01-30' } })],
  devToolbar: { enabled: false },
})
