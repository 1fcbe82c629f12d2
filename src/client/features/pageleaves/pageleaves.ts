import { startPageleaves } from '../../../sources/pageleaves'
import type { Feature } from '../../feature'

/** Captures `$pageleave`. */
export const pageleaves = {
  name: 'pageleaves',
  options: {
    capture_pageleave: [true, "boolean | 'if_capture_pageview'"],
  },
  connect: ({ context: { config } }) => ({
    runs: {
      wanted: () => config.capture_pageleave === true || (config.capture_pageleave && config.capture_pageview),
      start: startPageleaves,
    },
  }),
} satisfies Feature
