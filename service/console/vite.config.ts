import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { scriptTag, shortScriptTag } from '../../examples/snippet/scriptTag.mjs'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  // Relative to <base href>, which the service writes, so that a build works at any path behind a proxy.
  base: './',
  // The benchmark's posthog-js has another release of preact at the root, where packages of the console would find it.
  resolve: { dedupe: ['preact'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The set-up page shows the script tag of this release, with the project's token and the service's URL in these places.
  define: {
    __VERSION__: JSON.stringify(version),
    __SCRIPT_TAG__: JSON.stringify(
      scriptTag({ token: '{token}', config: { api_host: '{url}', defaults: '2026-01-30' } }),
    ),
    __SHORT_TAG__: JSON.stringify(shortScriptTag({ token: '{token}', url: '{url}' })),
  },
  build: {
    outDir: here('dist'),
    target: 'es2022',
    // The player of recordings, the preview of surveys and the page of shares are separate documents.
    rollupOptions: { input: [here('index.html'), here('player.html'), here('preview.html'), here('shared.html')] },
    // The content security policy allows no data: URLs but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
  // `npm run dev` beside a running service.
  server: {
    // With the browser's Host, because the service accepts sign-ins only from a page of the same host.
    proxy: Object.fromEntries(
      ['/api', '/static'].map((path) => [
        path,
        { target: process.env.TRAILMARK_URL ?? 'http://localhost:8000', changeOrigin: false },
      ]),
    ),
  },
})
