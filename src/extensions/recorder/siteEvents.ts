import type { RecorderParts, SiteEvents } from '../../host'
import { attempt } from './page'
import { CUSTOM, PLUGIN } from './eventTypes'
import type { Policy } from './sanitize/policy'

const MAX_TAG = 200
const MAX_CHARACTERS = 10_000
const LEVEL = /^(log|info|warn|error|debug)$/

/** Creates the methods with which a site adds to the recording. With `masking: 'strict'` tag and level are recorded only. */
export const createSiteEvents = (
  { outgoingText, toJson }: Pick<RecorderParts, 'outgoingText' | 'toJson'>,
  { isStrict, hideTyped, forgetTyped }: Policy,
  add: (type: number, data: object) => boolean,
): SiteEvents => {
  const safe = (text: string) => {
    forgetTyped()
    return outgoingText(hideTyped(text))
  }
  return {
    log: (message, level = 'log') => {
      const text = safe(String(message).slice(0, MAX_CHARACTERS))
      const payload = { level: LEVEL.test(level) ? level : 'log', payload: isStrict ? [] : [toJson(text)], trace: [] }
      add(PLUGIN, { plugin: 'rrweb/console@1', payload })
    },
    tryAddCustomEvent: (tag, payload) => {
      const json = isStrict ? '{}' : safe(toJson(payload ?? {}))
      const value = json.length > MAX_CHARACTERS ? undefined : attempt(() => JSON.parse(json) as unknown)
      return value !== undefined && add(CUSTOM, { tag: String(tag).slice(0, MAX_TAG), payload: value })
    },
  }
}
