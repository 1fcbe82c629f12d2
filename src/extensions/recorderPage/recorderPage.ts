import type { Extension } from '../contract'
import { type Capture, createCapture } from '../recorder/capture'
import { createFrames } from '../recorder/frames'
import type { RecorderHost, RecorderPageParts } from '../recorder/pageParts'
import { createPolicy, type Policy } from '../recorder/sanitize/policy'
import { createSiteEvents } from '../recorder/siteEvents'
import { hideNow, startText } from '../recorder/snapshotText'
import type { Stop } from '../../types'

type PageHost = RecorderHost & RecorderPageParts

/**
 * Returns the settings of the plugins. The project's settings can turn bodies and headers off, but not on. Requests on
 * localhost are not recorded, because they are a developer's.
 */
const pluginSettings = ({ config, remote, shared, settings }: PageHost, policy: Policy) => {
  const { recordHeaders, recordBody } = config.session_recording
  const { networkPayloadCapture: allowed } = settings
  const performance = remote.items.capturePerformance as { network_timing?: boolean } | boolean | undefined
  const mayCapture =
    !!shared._forceAllowLocalhostNetworkCapture || !/^(localhost|127\.0\.0\.1)$/.test(location.hostname)
  const network = {
    timing: performance === true || (!!performance && performance.network_timing === true),
    headers: !policy.isStrict && recordHeaders === true && allowed?.recordHeaders !== false,
    body: !policy.isStrict && recordBody === true && allowed?.recordBody !== false,
  }
  return {
    recordsCanvas: policy.recordsCanvas,
    capturesConsole: config.enable_recording_console_log || settings.consoleLogRecordingEnabled === true,
    network: mayCapture && Object.values(network).some(Boolean) && network,
  }
}

/** Starts the plugins that the settings turn on, again if those change. Returns a function that stops them. */
const startPlugins = (host: PageHost, policy: Policy, { addRaw: add, openId, pageUrl, snapshots }: Capture): Stop => {
  const parts = {
    add,
    openId,
    pageUrl,
    snapshots,
    hideTyped: (text: string) => {
      policy.forgetTyped()
      return policy.hideTyped(text)
    },
    hideTypedInRequest: (text: string) => {
      policy.forgetTyped()
      return policy.hideTypedInRequest(text)
    },
    isStrict: policy.isStrict,
  }
  let started = ''
  let stop: Stop | undefined
  const align = () => {
    const wanted = pluginSettings(host, policy)
    if (started === (started = JSON.stringify(wanted))) return
    stop?.()
    const isWanted = Object.values(wanted).some(Boolean)
    stop = isWanted ? host.startExtension('recorderPlugins', { ...host, ...wanted, ...parts }) : undefined
  }
  align()
  // A page begins with stored settings, which lack those of requests.
  const stopListening = host.remote.onChange(align)
  return () => {
    stopListening()
    stop?.()
  }
}

/**
 * Reads the page for the recorder: rrweb, masks, budget, plugins and frames. Only pages that are recorded load it
 * (`recorder` decides which).
 */
export const start: Extension<PageHost>['start'] = (host) => {
  const policy = createPolicy(host.config.session_recording, host.settings, host)
  if (typeof policy === 'string') {
    host.onInvalid(policy)
    return () => {}
  }
  const frames = createFrames(host, policy)
  const capture = createCapture({
    ...host,
    host,
    policy,
    record: (event) => {
      const post = frames.toParent()
      if (post) post(hideNow(event))
      else host.record(event)
    },
    onSnapshot: frames.onSnapshot,
  })
  const stops = [startPlugins(host, policy, capture), frames.start(capture, host.onParentChange), capture.stop]
  Object.assign(host.shared, createSiteEvents(host, policy, capture.addRaw))
  host.use({ ...capture, isStrict: policy.isStrict, startText, factsOf: frames.factsOf })
  return () => stops.forEach((stop) => stop())
}
