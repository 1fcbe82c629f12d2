import { isHidden } from '../browser/visibility'
import { readRemote, type RemoteConfig } from '../config/remote'
import type { Body } from '../delivery/encode'
import { apiHost, assetsHost, flagsHost } from '../delivery/hosts'
import { type Answer, request } from '../delivery/transport'
import { createAsking, type FlagsAnswer } from '../flags/askFlags'
import { createFlags } from '../flags/flags'
import { guarded, later } from '../lib/guard'
import { isPlainObject, toJson } from '../lib/json'
import type { Log } from '../lib/log'
import { objectOf, own } from '../lib/objects'
import { timeZone } from '../lib/timeZone'
import type { Store } from '../state/store'
import type { Bootstrap, Config, EarlyAccessFeature, Properties, RequestError } from '../types'
import { VERSION } from '../version'

interface Inputs {
  config: Config
  token: string
  log: Log
  store: Store
  distinctId(): string
  deviceId(): string | undefined
  /** Where the visitor first came from, as person properties. */
  initialPerson(): Properties
  sessionId(): string
  capture(event: string, properties?: Properties, options?: { $set: Properties }): unknown
  encode(text: string): Promise<Body>
  /** A copy of properties that the site passed, safe to store and to send. */
  toProperties(value: unknown): Properties
  /** The service has said what is on. */
  onRemote(): void
  onReloading(): void
  onRequestError(error: RequestError): void
}

type ByType = Record<string, Properties>

/** The service's say: flags, and what it has turned on; and what is told to the service so that it can decide. */
export const connectFlags = (from: Inputs) => {
  const { config, token, store } = from
  /** What the service has said, this time or on an earlier page. */
  const remote: RemoteConfig = { autocapture_opt_out: store.get('$autocapture_disabled_server_side') }
  let isFirst = true
  let isPaused = false
  let anonymousId: string | undefined
  let refreshTimer: ReturnType<typeof setTimeout> | undefined
  const afterAnswer: ((answer: FlagsAnswer) => void)[] = []

  const isOff = () => config.advanced_disable_flags || isPaused
  /** Requests flags. Returns false when no answer comes soon. */
  const ask = (): boolean => {
    if (isOff()) return false
    from.onReloading()
    return asking.ask()
  }
  const onMalformed = (what: unknown) => from.log.warn(`Ignored malformed values in a response of api_host: ${what}`)
  const flags = createFlags({ config, store, capture: from.capture, sessionId: from.sessionId, ask, onMalformed })

  /** The body of a response that is the service's: a JSON object. */
  const bodyOf = ({ status, text, json }: Answer) => {
    if (status >= 400) from.onRequestError({ statusCode: status, text, json })
    if (status < 200 || status >= 300) return undefined
    if (isPlainObject(json)) return json
    onMalformed(text.slice(0, 40))
    return undefined
  }
  const get = async (url: string) => bodyOf(await request(url, undefined, config))
  /** Applies the configuration in a body. Returns whether there is one. */
  const takeRemote = (body: Record<string, unknown> | undefined) => {
    const said = readRemote(body, onMalformed)
    if (!said || asking.isStopped()) return said
    Object.assign(remote, said)
    if (typeof said.autocapture_opt_out === 'boolean')
      store.set({ $autocapture_disabled_server_side: said.autocapture_opt_out })
    from.onRemote()
    return said
  }

  const send = async (): Promise<FlagsAnswer> => {
    const withFlags =
      !config.advanced_disable_feature_flags && !(isFirst && config.advanced_disable_feature_flags_on_first_load)
    isFirst = false
    const contexts = config.evaluation_contexts?.filter((each) => typeof each === 'string' && each.trim())
    const question = {
      token,
      distinct_id: from.distinctId(),
      $device_id: from.deviceId(),
      $anon_distinct_id: anonymousId,
      groups: store.get('$groups') ?? {},
      person_properties: {
        ...from.initialPerson(),
        ...store.get<Properties>('$stored_person_properties'),
        $lib: 'web',
        $lib_version: VERSION,
      },
      group_properties: store.get('$stored_group_properties'),
      timezone: timeZone(),
      evaluation_contexts: contexts?.length ? contexts : undefined,
      disable_flags: withFlags ? undefined : true,
      sent_at: new Date(),
    }
    const surveysOnly = config.advanced_only_evaluate_survey_feature_flags
      ? '&only_evaluate_survey_feature_flags=true'
      : ''
    const body = await from.encode(toJson(question))
    const answer = await request(
      `${flagsHost(config)}/flags/?v=2&config=true${surveysOnly}`,
      body,
      config,
      config.feature_flag_request_timeout_ms || undefined,
    )
    const json = bodyOf(answer)
    // Newer services of the protocol have their configuration at a URL of its own.
    if (!takeRemote(json) && json && !asking.isStopped())
      takeRemote(await get(`${assetsHost(config)}/array/${encodeURIComponent(token)}/config`))
    if (!json)
      return {
        error: answer.status
          ? `api_error_${answer.status}`
          : answer.text === 'timeout'
            ? 'timeout'
            : 'connection_error',
      }
    if (anonymousId === question.$anon_distinct_id) anonymousId = undefined
    return { body: withFlags ? json : undefined }
  }
  const settle = (answer: FlagsAnswer) => afterAnswer.splice(0).forEach((notify) => guarded(() => notify(answer)))
  const asking = createAsking({
    send,
    about: from.distinctId,
    apply: (answer) => {
      if (answer.body || answer.error) flags.apply(answer)
      settle(answer)
    },
  })
  /** Requests flags and calls back with the answer; at once, with an error, where none comes soon. */
  const askFor = (notify: (answer: FlagsAnswer) => void) => {
    if (ask()) afterAnswer.push(notify)
    else notify({ error: 'connection_error' })
  }

  /** Asks again every so often; a change of the period holds from the next time on. */
  const refreshLater = () => {
    clearTimeout(refreshTimer)
    const every = config.remote_config_refresh_interval_ms
    if (every > 0)
      refreshTimer = later(() => {
        if (!isHidden()) ask()
        refreshLater()
      }, every)
  }

  /** Stores `changes` under `name`; answers whether that is news. */
  const remember = (name: string, changes: Properties): boolean => {
    const known = store.get<Properties>(name) ?? {}
    const next = { ...known, ...changes }
    const isNews = toJson(next) !== toJson(known)
    if (isNews) store.set({ [name]: next })
    return isNews
  }
  const setPersonPropertiesForFlags = (properties: Properties, reload = true): void => {
    const changes = from.toProperties(properties)
    const { $set, $set_once } = changes as { $set?: Properties; $set_once?: Properties }
    const next =
      $set || $set_once ? { ...$set_once, ...store.get<Properties>('$stored_person_properties'), ...$set } : changes
    if (remember('$stored_person_properties', next) && reload) ask()
  }

  return {
    remote,
    flags,
    ask,
    wake: asking.wake,
    refreshLater,
    /** The visitor was `id` until now: what was decided for that id stays with the person. */
    becameAnother: (anonymous?: string) => {
      anonymousId = anonymous ?? anonymousId
      flags.forgetTold()
      ask()
    },
    forget: (bootstrap: Bootstrap = {}) => {
      anonymousId = undefined
      flags.forget(bootstrap)
      ask()
    },
    api: {
      ...flags.api,
      setPersonPropertiesForFlags,
      resetPersonPropertiesForFlags: (reload = true): void => {
        store.set({ $stored_person_properties: undefined })
        if (reload) ask()
      },
      setGroupPropertiesForFlags: (changes: ByType, reload = true): void => {
        const known = store.get<ByType>('$stored_group_properties') ?? {}
        const byType = from.toProperties(changes) as ByType
        const next = objectOf(Object.keys(byType), (type) => ({ ...own(known, type), ...byType[type] }))
        if (remember('$stored_group_properties', next) && reload) ask()
      },
      resetGroupPropertiesForFlags: (type?: string): void =>
        store.set({
          $stored_group_properties: type ? { ...store.get<ByType>('$stored_group_properties'), [type]: {} } : undefined,
        }),
      updateEarlyAccessFeatureEnrollment: (key: string, isEnrolled: boolean, stage?: string): void => {
        const known = store.get<EarlyAccessFeature[]>('$early_access_features')
        flags.api.updateFlags({ [key]: isEnrolled }, {}, { merge: true })
        from.capture(
          '$feature_enrollment_update',
          {
            $feature_flag: key,
            $feature_enrollment: isEnrolled,
            $feature_enrollment_stage: stage,
            $early_access_feature_name: known?.find(({ flagKey }) => flagKey === key)?.name,
          },
          { $set: { [`$feature_enrollment/${key}`]: isEnrolled } },
        )
      },
      getEarlyAccessFeatures: async (
        callback: (features: EarlyAccessFeature[]) => void,
        forceReload = false,
        stages: string[] = ['beta'],
      ): Promise<void> => {
        let features = store.get<EarlyAccessFeature[]>('$early_access_features')
        if (!features || forceReload) {
          const query = stages.map((stage) => `&stage=${encodeURIComponent(stage)}`).join('')
          const body = await get(
            `${apiHost(config)}/api/early_access_features/?token=${encodeURIComponent(token)}${query}`,
          )
          // Stored only if it came: nothing asks again for what is stored.
          if (Array.isArray(body?.earlyAccessFeatures)) {
            features = body.earlyAccessFeatures.filter(isPlainObject) as unknown[] as EarlyAccessFeature[]
            store.set({ $early_access_features: features })
          }
        }
        guarded(() => callback(features ?? []))
      },
      featureFlags: {
        ...flags.more,
        override: flags.more.overrideFeatureFlags,
        setAnonymousDistinctId: (id: string): void => {
          anonymousId = id
        },
        /** The payload as the service says it now. */
        getRemoteConfigPayload: (key: string, callback: (payload: unknown) => void): void =>
          askFor(() => callback(flags.api.getFeatureFlagPayload(key))),
        reloadFeatureFlagsAsync: (): Promise<{ status: 'loaded' | 'error' | 'skipped' }> =>
          new Promise((done) => {
            if (isOff()) done({ status: 'skipped' })
            else askFor(({ error }) => done({ status: error ? 'error' : 'loaded' }))
          }),
        setReloadingPaused: (paused: boolean): void => {
          isPaused = paused
        },
      },
    },
    stop: (): void => {
      clearTimeout(refreshTimer)
      asking.stop()
      settle({ error: 'connection_error' })
    },
  }
}
