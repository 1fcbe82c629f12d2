import { OFF } from '../../../config/options'
import { onNavigate } from '../../../browser/navigation'
import { storageOf } from '../../../browser/storage'
import { DATED_DEFAULTS } from '../../../config/datedDefaults'
import type { ToolbarParts } from '../../../host'
import { later } from '../../../lib/guard'
import { noteElements } from '../../../sources/autocapture/describeElement'
import { pathOf } from '../../../sources/autocapture/elements'
import { mayCapture } from '../../../sources/autocapture/mayCapture'
import { checkPath } from '../../../sources/autocapture/privacy'
import { describeEvent, maskingOf } from '../../../sources/autocapture/startAutocapture'
import type { Feature, FeatureHost } from '../../feature'
import { linkTo } from '../../late'
import { TOOLBAR_METHODS } from './methods'

/** Name of an entry: in the URL's hash the code, in session storage the token of the project whose toolbar this tab shows. */
const NAME = '__trailmark_toolbar'
const CODE = /#__trailmark_toolbar=(\w*)/
// By this time, routers that restore their initial URL have done so.
const CLEAR_AGAIN_MS = 500

/**
 * Removes the code of the console's link from the page's URL and returns it. Wrappers of `replaceState` do not see it.
 */
const takeCode = (): string | undefined => {
  const { href } = location
  const code = CODE.exec(href)?.[1]
  if (code) History.prototype.replaceState.call(history, history.state, '', href.replace(CODE, ''))
  return code
}

/**
 * The toolbar for the site's own team. Fetched only after a link from the console or a call of `loadToolbar`, or if
 * this tab has a toolbar session.
 */
export const toolbar = {
  name: 'toolbar',
  methods: TOOLBAR_METHODS,
  options: {
    advanced_disable_toolbar_metrics: OFF,
  },
  connect: (client) => {
    const { context } = client
    const { config, token } = context
    let code = takeCode()
    let isOn = code || storageOf('sessionStorage')?.getItem(NAME) === token
    const wanted = () => !!isOn && self === top && !config.advanced_disable_flags
    if (code) later(takeCode, CLEAR_AGAIN_MS)

    return {
      api: {
        loadToolbar: (parameters) => {
          if ((parameters?.token ?? token) !== token) return false
          code = parameters?.code
          isOn = true
          client.align()
          return wanted() && !context.isOptedOut()
        },
      },
      runs: {
        isOfPage: true,
        wanted,
        start: (host) => {
          // Functions that the core contains anyway, passed so that the extension does not contain them twice.
          const parts: Omit<ToolbarParts, keyof FeatureHost> = {
            code,
            link: linkTo(client),
            end: () => {
              isOn = false
              client.align()
            },
            onNavigate,
            pathOf,
            checkPath,
            mayCapture,
            describeEvent: (type, path, masking) => describeEvent(type, noteElements(path), masking),
            maskingOf,
            OPTIONS: client.options,
            DATED_DEFAULTS,
          }
          code = undefined
          return host.startExtension('toolbar', parts)
        },
      },
    }
  },
} satisfies Feature
