import type { RecorderPluginParts } from '../../host'
import type { Extension } from '../contract'
import { startConsole } from './console'
import { startNetwork } from './network'

/** Captures console output and requests for session recordings. */
export const start: Extension<RecorderPluginParts>['start'] = (host) => {
  const { capturesConsole, network } = host
  const stops = [
    capturesConsole ? startConsole(host) : () => {},
    network.timing || network.headers || network.body ? startNetwork(host) : () => {},
  ]
  return () => stops.forEach((stop) => stop())
}
