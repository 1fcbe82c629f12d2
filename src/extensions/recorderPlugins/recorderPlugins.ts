import type { RecorderPluginParts } from '../../host'
import type { Extension } from '../contract'
import { startCanvas } from './canvas'
import { startConsole } from './console'
import { startNetwork } from './network'
import { shaped } from './shape'

const PLUGIN = 6

/** Captures console output, requests and canvases for session recordings. */
export const start: Extension<RecorderPluginParts>['start'] = (host) => {
  const { capturesConsole, network, recordsCanvas, isStrict } = host
  const emit = (plugin: string, payload: unknown) => {
    const sanitized = shaped(plugin, payload, isStrict)
    if (sanitized) host.add(PLUGIN, { plugin, payload: sanitized })
  }
  const stops = [
    capturesConsole ? startConsole(host, emit) : () => {},
    network ? startNetwork(host, emit) : () => {},
    recordsCanvas ? startCanvas(host) : () => {},
  ]
  return () => stops.forEach((stop) => stop())
}
