import type { RecorderHost } from '../../../src/extensions/recorder/pageParts'
import { redactUrls } from '../../../src/lib/redact'
import type { Config, Properties } from '../../../src/types'

/** What a test sets of the recorder's host. */
interface HostInputs {
  config?: Partial<Config>
  stored?: Properties
  settings?: unknown
  startedAt?: number
}

/** Creates the parts of the recorder's host that decide about sessions, over a plain object as the store. */
export const recorderHost = ({ config, stored = {}, settings, startedAt = 1 }: HostInputs = {}) => {
  let sessionId = 'session-1'
  const errors: string[] = []
  const items = { sessionRecording: settings }
  const host = {
    config: { session_recording: {}, bootstrap: { featureFlags: {} }, ...config },
    store: {
      get: (name: string) => stored[name],
      set: (values: Properties) => {
        for (const [name, value] of Object.entries(values))
          if (value === undefined) delete stored[name]
          else stored[name] = value
      },
    },
    session: { current: () => sessionId, windowId: () => 'window-1', startedAt: () => startedAt },
    sessionId: () => sessionId,
    remote: { items },
    shared: { properties: {}, status: '', log: () => {}, tryAddCustomEvent: () => false } as RecorderHost['shared'],
    outgoingText: redactUrls,
    toJson: JSON.stringify,
    log: { error: (message: string) => void errors.push(message), warn: () => {} },
  }
  return {
    host: host as unknown as RecorderHost,
    stored,
    items,
    errors,
    rotate: (id: string): void => {
      sessionId = id
    },
  }
}
