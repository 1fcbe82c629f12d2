import { checkFramework } from './support/checks'

checkFramework({
  example: 'nuxt',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/:slug()' },
  edited: 'app/pages/index.vue',
})
