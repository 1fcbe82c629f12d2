import { checkFramework } from './support/checks'

const NO_SERVER = 'the browser renders everything'

checkFramework({
  example: 'react-vite',
  edited: 'src/App.tsx',
  without: {
    'counts no pageview for a navigation that another one aborts': 'this application loads no data',
    'has the flag in the first byte of the server, and shows nothing else': NO_SERVER,
    'shows a flag that has changed after the server rendered, without a hydration message': NO_SERVER,
    'keeps the flags of concurrent visitors apart': NO_SERVER,
  },
})
