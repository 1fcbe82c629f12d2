import posthog, {
  type CaptureResult,
  type JsonType,
  type PostHog,
  type PostHogConfig,
  type SessionIdChangedCallback,
} from '../../src/entries/main'

// A site's code for posthog-js, of which only the import is changed. The compiler checks this file (`npm run typecheck`).
const config: Partial<PostHogConfig> = {
  api_host: 'https://events.example.com',
  person_profiles: 'identified_only',
  before_send: (event: CaptureResult | null) => event,
  loaded: (instance) => instance.debug(),
  session_recording: { maskAllInputs: true, maskTextSelector: '.private' },
}

const useFlags = (client: PostHog) => {
  const payload: JsonType = client.getFeatureFlagPayload('theme')
  const { color } = (client.getFeatureFlagPayload('theme') ?? {}) as { color?: string }
  const result = client.getFeatureFlagResult('theme')
  const variant: string | undefined = result?.variant
  const fromResult: JsonType = result?.payload
  const isOn: boolean = client.isFeatureEnabled('theme', { defaultValue: false })
  const maybe: boolean | undefined = client.isFeatureEnabled('theme')
  const stop: () => void = client.onFeatureFlags((flags: string[], variants: Record<string, string | boolean>) => {
    void [flags.length, variants.theme]
  })
  client.featureFlags.overrideFeatureFlags({ flags: { theme: 'dark' }, payloads: { theme: { color: 'red' } } })
  return [payload, color, variant, fromResult, isOn, maybe, stop]
}

const useSessions = (client: PostHog) => {
  const onSession: SessionIdChangedCallback = (sessionId, windowId, reason) => {
    void [sessionId.length, windowId?.length, reason?.noSessionId, reason?.activityTimeout]
  }
  const stops: (() => void)[] = [client.onSessionId(onSession), client.sessionManager.onSessionId(onSession)]
  const { sessionId, windowId, sessionStartTimestamp } = client.sessionManager.checkAndGetSessionAndWindowId(true)
  const isRecording: boolean = client.sessionRecordingStarted()
  const url: string = client.get_session_replay_url({ withTimestamp: true, timestampLookBack: 30 })
  return [stops, sessionId, windowId, sessionStartTimestamp, isRecording, url]
}

const useEvents = (client: PostHog) => {
  const event: CaptureResult | undefined = client.capture(
    'order',
    { total: 5, $set: { plan: 'pro' } },
    { send_instantly: true },
  )
  client.identify(client.get_distinct_id(), { email: 'ada@mail.example' }, { first: 'yes' })
  client.setPersonProperties({ plan: 'pro' }, { first: 'yes' })
  client.people.set({ plan: 'pro' })
  client.group('company', 'acme', { size: 5 })
  client.captureException(new Error('x'), { cart: 1 })
  client.register({ plan: 'pro' })
  client.getActiveMatchingSurveys((surveys) => surveys.map(({ id }) => id), true)
  client.getEarlyAccessFeatures((features) => features.map(({ flagKey }) => flagKey), true, ['beta'])
  client.opt_in_capturing({ captureEventName: 'agreed' })
  client.reset()
  return event
}

test('code for posthog-js compiles with the import changed', () => {
  expect([config, useFlags, useSessions, useEvents]).toHaveLength(4)
})

test('sessionManager tells the ids of the session, also before init', () => {
  expect(posthog.sessionManager.onSessionId(() => {})).toBeInstanceOf(Function)
  expect(posthog.sessionManager.checkAndGetSessionAndWindowId()).toMatchObject({ sessionId: '', windowId: '' })
  posthog.init('token', { api_host: 'https://events.example.com' })
  const seen: string[] = []
  posthog.sessionManager.onSessionId((id) => void seen.push(id))
  const { sessionId, windowId, sessionStartTimestamp } = posthog.sessionManager.checkAndGetSessionAndWindowId()
  expect(sessionId).toBe(posthog.get_session_id())
  expect(seen).toContain(sessionId)
  expect(windowId).not.toBe('')
  expect(Date.now() - sessionStartTimestamp).toBeLessThan(60_000)
  expect(posthog.sessionManager.checkAndGetSessionAndWindowId(true).sessionId).toBe(sessionId)
  void posthog.shutdown()
})
