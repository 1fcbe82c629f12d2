import { checkFramework } from './support/checks'

checkFramework({
  example: 'astro',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/[slug]' },
  edited: 'src/pages/index.astro',
  without: { 'starts once in development, whatever is edited': 'Astro loads the page again after each edit' },
})
