import { checkFramework } from './support/checks'

checkFramework({
  example: 'vue-vite',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/:slug' },
  edited: 'src/pages/Home.vue',
  without: {
    'has the flag in the first byte of the server, and shows nothing else': 'renders in the browser only',
    'keeps the flags of concurrent visitors apart': 'renders in the browser only',
  },
})
