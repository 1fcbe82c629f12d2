// Runs in every runtime: captures two events, and flushes if it is told to. `load`: imports the package. The process must end by
// itself.
export const run = async (load, { host, name, mode }) => {
  const { createAnalytics } = await load()
  const analytics = createAnalytics('token', { host, flushInterval: 600_000 })
  analytics.capture({ distinctId: 'ada', event: 'started', properties: { name, mode } })
  analytics.captureException(new Error('no such thing'), 'ada', { name, mode })
  if (mode === 'flush' && !(await analytics.flush())) throw new Error('flush() has not sent all events.')
}
