import { checkFramework } from './support/checks'

const NO_SERVER = 'the browser renders everything'

checkFramework({
  example: 'angular',
  patterns: { home: '/', pricing: '/pricing', post: '/blog/:slug' },
  edited: 'src/home.ts',
  without: {
    'has the flag in the first byte of the server, and shows nothing else': NO_SERVER,
    'keeps the flags of concurrent visitors apart': NO_SERVER,
  },
})
