import { has, pick } from '../lib/objects'

/** What the service has turned on, in its own words (docs/reference/protocol.md#4.7). Absent: it has not said. */
export interface RemoteConfig {
  supportedCompression?: string[]
  autocapture_opt_out?: boolean
  analytics?: { endpoint?: string }
  [item: string]: unknown
}

/** The items that the SDK uses, and whether a value is a proper one. */
const ITEMS: Record<string, (value: unknown) => boolean> = {
  supportedCompression: Array.isArray,
  autocapture_opt_out: (value) => value === !!value,
  // Appended to the host: without its slash it would name another host.
  analytics: (value) => /^\//.test((value as RemoteConfig['analytics'])?.endpoint ?? '/'),
}

/**
 * The well-formed items of the configuration in a response; undefined when it carries none, as the `/flags` of newer
 * services. `onMalformed` receives the names of the others.
 */
export const readRemote = (
  body: Record<string, unknown> | undefined,
  onMalformed: (names: string[]) => void,
): RemoteConfig | undefined => {
  if (!body || !('supportedCompression' in body || 'autocapture_opt_out' in body || 'sessionRecording' in body))
    return undefined
  const malformed = Object.keys(ITEMS).filter((name) => name in body && !ITEMS[name]!(body[name]))
  if (malformed.length) onMalformed(malformed)
  return pick(body, (name) => has(ITEMS, name) && !malformed.includes(name))
}

/** Whether the service understands gzip, as far as it has said. `gzip-js` is the protocol's name for it. */
export const understandsGzip = ({ supportedCompression }: RemoteConfig): boolean =>
  !Array.isArray(supportedCompression) || supportedCompression.some((name) => /^gzip/.test(name))
