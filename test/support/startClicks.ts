import { onPageLeave } from '../../src/browser/pageExit'
import * as clicks from '../../src/extensions/clicks/clicks'
import type { Extension, ExtensionHost } from '../../src/extensions/contract'
import { startExtension } from '../../src/extensions/startExtension'
import type { ClickParts } from '../../src/host'
import { later } from '../../src/lib/guard'
import { startAutocapture } from '../../src/sources/autocapture/startAutocapture'
import { startClicks } from '../../src/sources/clicks'
import type { CaptureOptions, Config, Properties } from '../../src/types'

const stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

/** Starts click detection on a page with this body and a fake clock. `load` returns the extension. */
export const startClickDetection = (
  html: string,
  config: Partial<Config> = {},
  load = async (): Promise<Extension<ClickParts>> => clicks,
) => {
  jest.useFakeTimers({ now: new Date('2026-11-21T10:00:00Z') })
  document.body.innerHTML = html
  const captured: [event: string, properties: Properties, options?: CaptureOptions][] = []
  const host = {
    config: {
      autocapture: false,
      rageclick: true,
      capture_dead_clicks: true,
      mask_all_text: false,
      mask_all_element_attributes: false,
      ...config,
    } as Config,
    capture: (event: string, properties?: Properties, options?: CaptureOptions) =>
      void captured.push([event, properties!, ...(options ? [options] : [])] as never) as never,
    moment: () => undefined as never,
  }
  const loads = jest.fn(load)
  const stop = startClicks(host, (parts, onFailure) =>
    startExtension(
      loads(),
      { ...(host as unknown as ExtensionHost), later, onLeave: (run) => onPageLeave(() => run(false)), ...parts },
      onFailure,
    ),
  )
  const captureLater = (event: string, describe: () => Properties) => host.capture(event, describe())
  stops.push(stop, ...(host.config.autocapture ? [startAutocapture({ ...host, captureLater })] : []))
  return {
    config: host.config,
    stop,
    loads,
    captured,
    names: () => captured.map(([event]) => event),
    wait: (ms: number) => jest.advanceTimersByTimeAsync(ms),
  }
}

export const find = (selector: string) => document.querySelector(selector)!

/** Simulates a user click, without a pause between two clicks. */
export const click = (target: string | Element, init: MouseEventInit = {}) =>
  void (typeof target === 'string' ? find(target) : target).dispatchEvent(
    new MouseEvent('click', { bubbles: true, composed: true, clientX: 5, clientY: 5, ...init }),
  )
