import { hasPage } from '../../../browser/page'
import { followScroll } from '../../../browser/scroll'
import { addPageview } from '../../../pipeline/stages/addPageview'
import { startPageviews } from '../../../sources/pageviews'
import type { Feature } from '../../feature'
import { PAGEVIEW_METHODS } from './methods'

/** Captures `$pageview`, and adds to each event the pageview it belongs to. */
export const pageviews = {
  name: 'pageviews',
  methods: PAGEVIEW_METHODS,
  options: {
    capture_pageview: [true, "boolean | 'history_change'"],
    scroll_root_selector: [undefined, 'string | array'],
  },
  connect: ({ context: { config, session } }) => {
    let scrolling: ReturnType<typeof followScroll> | undefined
    const end = () => {
      scrolling?.stop()
      scrolling = undefined
    }
    const pageview = addPageview(() => scrolling)
    session.onChange(pageview.forget)
    return {
      api: { getPageViewId: pageview.current },
      stage: { name: 'pageview', before: 'properties', run: pageview.stage },
      runs: {
        wanted: () => config.capture_pageview,
        start: (host) => startPageviews({ ...host, hasViewed: pageview.hasViewed }),
      },
      onAlign: () => {
        if (config.disable_scroll_properties || !hasPage()) end()
        else scrolling ??= followScroll(() => [config.scroll_root_selector ?? []].flat())
      },
      onEnd: end,
    }
  },
} satisfies Feature
