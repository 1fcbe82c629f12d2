import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../src/types'
import { OPTIONS } from './options'
import { ROOT } from './root'
import type { BUILDS } from './scenario'
import type { Service } from './service'

const SNIPPET = readFileSync(join(ROOT, 'examples/snippet/snippet.js'), 'utf8')
const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false, capture_dead_clicks: false }

interface SnippetPage {
  body: string
  head?: string
  config?: Partial<Config>
  build?: (typeof BUILDS)[number]
}

/** Returns a page that loads the SDK with the snippet or an import. It captures only what `config` turns on. */
export const snippetPage = (project: Service, { body, head = '', config, build = 'script' }: SnippetPage): string => {
  const options = JSON.stringify({
    ...OPTIONS,
    api_host: project.url,
    ...QUIET,
    ...config,
  })
  const init = `analytics.init(${JSON.stringify(project.token)}, ${options})`
  const tag =
    build === 'script'
      ? `<script nonce="n">${SNIPPET}\n${init}</script>`
      : `<script type="module" nonce="n">import { analytics } from '/sdk/main.js'; window.analytics = analytics; ${init}</script>`
  return `<!doctype html><html lang="en"><head><title>Shop</title><meta name="viewport" content="width=device-width">${head}${tag}</head><body>${body}</body></html>`
}
