import { checkFramework } from './support/checks'

checkFramework({
  example: 'sveltekit',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/[slug]' },
  edited: 'src/routes/+page.svelte',
})
