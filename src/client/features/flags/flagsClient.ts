import { assetsHost, flagsHost } from '../../../delivery/hosts'
import { outcomeOf } from '../../../delivery/retry'
import type { FlagsResponse } from '../../../flags/flagRequester'
import { exclude } from '../../../lib/exclude'
import { isoTime } from '../../../lib/isoTime'
import { isPlainObject, toJson } from '../../../lib/json'
import { objectOf } from '../../../lib/objects'
import { timeZone } from '../../../lib/timeZone'
import type { Properties } from '../../../types'
import { VERSION } from '../../../version'
import type { Delivery } from '../../connectDelivery'
import type { Context } from '../../createContext'

/** Requests flags and remote configuration from the service. */
export const createFlagsClient = (context: Context, { encode, send, onRequestError }: Delivery) => {
  const { config, token, store, remote } = context
  let isFirst = true
  /** The visitor's id before `identify`, until a request has sent it. */
  let anonymousId: string | undefined

  /** Requests a URL, with `query` as the body. Returns the JSON object in the response, or the reason there is none. */
  const fetchObject = async (url: string, query?: string, timeoutMs?: number): Promise<FlagsResponse> => {
    const body = query && (await encode(query))
    let result = await send(url, body, config, timeoutMs)
    // Something on the way has rejected the compressed body. The next request of flags may be minutes away.
    if (outcomeOf(result) === 'foreign' && body !== query) result = await send(url, query, config, timeoutMs)
    const { status, text, json } = result
    if (status >= 400) onRequestError({ statusCode: status, text, json })
    if (status >= 200 && status < 300) {
      if (isPlainObject(json)) return { body: json }
      context.onMalformed(text.slice(0, 40))
    }
    return { error: status ? `api_error_${status}` : text === 'timeout' ? text : 'connection_error' }
  }
  const get = async (url: string) => (await fetchObject(url)).body

  return {
    /** Returns what decides which flags are requested, as text. */
    settings: (): string =>
      toJson([
        config.advanced_disable_flags,
        config.advanced_disable_feature_flags,
        config.advanced_disable_feature_flags_on_first_load,
        config.advanced_only_evaluate_survey_feature_flags,
        config.evaluation_contexts,
        flagsHost(config),
      ]),
    /** GETs a JSON object; undefined when the response is anything else. */
    get,
    setAnonymousId: (id: string | undefined): void => {
      anonymousId = id
    },
    /** Requests flags, and applies the remote configuration that comes with them. */
    requestFlags: async (isStopped: () => boolean): Promise<FlagsResponse> => {
      const withFlags =
        !config.advanced_disable_feature_flags && !(isFirst && config.advanced_disable_feature_flags_on_first_load)
      isFirst = false
      const contexts = config.evaluation_contexts?.filter((each) => typeof each === 'string' && each.trim())
      const sentId = anonymousId
      const groups = store.get<Properties>('$stored_group_properties')
      const query = {
        token,
        distinct_id: context.distinctId(),
        $device_id: context.deviceId(),
        $anon_distinct_id: sentId,
        groups: store.get('$groups') ?? {},
        person_properties: exclude(
          {
            ...context.attribution.initialPerson(),
            ...store.get<Properties>('$stored_person_properties'),
            $lib: 'web',
            $lib_version: VERSION,
          },
          config,
        ),
        group_properties:
          groups &&
          objectOf(Object.keys(groups), (type) => isPlainObject(groups[type]) && exclude(groups[type], config)),
        timezone: timeZone(),
        evaluation_contexts: contexts?.length ? contexts : undefined,
        disable_flags: withFlags ? undefined : true,
        sent_at: isoTime(new Date()),
      }
      const surveysOnly = config.advanced_only_evaluate_survey_feature_flags
        ? '&only_evaluate_survey_feature_flags=true'
        : ''
      const response = await fetchObject(
        `${flagsHost(config)}/flags/?v=2&config=true${surveysOnly}`,
        toJson(query),
        config.feature_flag_request_timeout_ms || undefined,
      )
      const { body } = response
      remote.hasFailed = !body
      if (!body) return response
      // Newer services serve the configuration at a separate URL.
      if (!isStopped() && !remote.apply(body)) {
        const settings = await get(`${assetsHost(config)}/array/${encodeURIComponent(token)}/config`)
        if (!isStopped()) remote.hasFailed = !remote.apply(settings)
      }
      if (anonymousId === sentId) anonymousId = undefined
      return withFlags && !config.advanced_disable_feature_flags ? response : {}
    },
  }
}
