import { DATED_DEFAULTS } from '../../config/datedDefaults'
import { OPTIONS } from '../../config/options'
import { onNavigate } from '../../browser/navigation'
import { listen } from '../../browser/signal'
import { storageOf } from '../../browser/storage'
import { apiHost, uiHost } from '../../delivery/hosts'
import type { ToolbarParts } from '../../host'
import { later } from '../../lib/guard'
import { anyMatches, pathOf } from '../../sources/autocapture/elements'
import { EXCLUDED, mayCapture } from '../../sources/autocapture/mayCapture'
import { checkPath } from '../../sources/autocapture/privacy'
import { describeEvent, maskingOf } from '../../sources/autocapture/startAutocapture'
import type { Feature } from '../feature'

// The session storage of a tab with a session of the toolbar has this name, with the project's token.
const NAME = '__trailmark_toolbar'
const CODE = RegExp(`#?&?${NAME}=([\\w-]*)`)
// By then, routers that restore the URL they started with have done so.
const CLEAR_AGAIN_MS = 500

/** Removes the code of the console's link from the page's URL and returns it. Wrappers of `replaceState` do not see it. */
const takeCode = (): string | undefined => {
  const code = CODE.exec(location.hash)?.[1]
  if (code) History.prototype.replaceState.call(history, history.state, '', location.href.replace(CODE, ''))
  return code
}

/** The toolbar for the site's own team. Nothing is fetched without a link of the console or a session in this tab. */
export const toolbar: Feature = {
  name: 'toolbar',
  connect: (client) => {
    const { context } = client
    const { config, token } = context
    const tab = storageOf('sessionStorage')
    const mayRun = () => self === top && !config.advanced_disable_flags
    let code = self === top ? takeCode() : undefined
    let isOn = !!code || tab?.getItem(NAME) === token
    if (code) later(takeCode, CLEAR_AGAIN_MS)

    return {
      api: {
        loadToolbar: (parameters) => {
          if (!mayRun() || context.isOptedOut() || (parameters?.token ?? token) !== token) return false
          code = parameters?.code ?? code
          isOn = true
          client.align()
          return true
        },
      },
      runs: {
        wanted: () => isOn && mayRun(),
        start: (host) => {
          const parts = {
            ...client,
            ...context,
            code,
            url: apiHost(config),
            consoleUrl: uiHost(config),
            remember: (hasSession: boolean) => (hasSession ? tab?.setItem(NAME, token) : tab?.removeItem(NAME)),
            end: () => {
              isOn = false
              client.align()
            },
            // What the main script has anyway, so that the extension need not contain it too.
            storageOf,
            listen,
            onNavigate,
            pathOf,
            checkPath,
            anyMatches,
            mayCapture,
            excluded: EXCLUDED,
            describe: (type: string, path: Element[]) => describeEvent(type, path, maskingOf(config)).properties,
            options: OPTIONS,
            datedDefaults: DATED_DEFAULTS,
          } satisfies ToolbarParts
          code = undefined
          return host.startExtension('toolbar', parts)
        },
      },
    }
  },
}
