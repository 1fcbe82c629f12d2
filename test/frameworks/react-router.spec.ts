import { checkFramework } from './support/checks'

checkFramework({
  example: 'react-router',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/:slug' },
  edited: 'app/routes/home.tsx',
})
