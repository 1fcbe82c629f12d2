/** What the service has turned on, in its own words (protocol.md §4.7). Absent: it has not said. */
export interface RemoteConfig {
  supportedCompression?: string[]
  autocapture_opt_out?: boolean
  analytics?: { endpoint?: string }
  [item: string]: unknown
}

/** The configuration in an answer; undefined when it carries none, as the `/flags` of newer services. */
export const readRemote = (body: Record<string, unknown> | undefined): RemoteConfig | undefined =>
  body && ('supportedCompression' in body || 'autocapture_opt_out' in body || 'sessionRecording' in body)
    ? body
    : undefined

/** Whether the service understands gzip, as far as it has said. `gzip-js` is the protocol's name for it. */
export const understandsGzip = ({ supportedCompression }: RemoteConfig): boolean =>
  !Array.isArray(supportedCompression) || supportedCompression.some((name) => /^gzip/.test(name))
