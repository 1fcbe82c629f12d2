import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  // Relative to <base href>, which the service writes, so that a build works at any path behind a proxy.
  base: './',
  // The benchmark's posthog-js has another release of preact at the root, where packages of the console would find it.
  resolve: { dedupe: ['preact'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('dist'),
    target: 'es2022',
    // The content security policy allows no data: URLs but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
  // `npm run dev` beside a running service.
  server: { proxy: { '/api': process.env.TRAILMARK_URL ?? 'http://localhost:8000' } },
})
