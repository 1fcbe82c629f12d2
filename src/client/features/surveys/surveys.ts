import { isBoolean } from '../../../lib/json'
import { OFF } from '../../../config/options'
import { onNavigate } from '../../../browser/navigation'
import { readDevice } from '../../../browser/device'
import { storageOf } from '../../../browser/storage'
import { apiHost } from '../../../delivery/hosts'
import type { SurveyParts } from '../../../host'
import type { SurveyRenderReason } from '../../../types'
import { whyAbsent } from '../../callMethod'
import { isFunction } from '../../calls'
import type { Feature, FeatureHost } from '../../feature'
import { lateCalls, linkTo } from '../../late'
import { SURVEY_METHODS } from './methods'

const NONE = 'no surveys'

/** Shows the surveys of projects that have some. Neither code nor surveys are fetched for other projects. */
export const surveys = {
  name: 'surveys',
  methods: SURVEY_METHODS,
  options: {
    disable_surveys: OFF,
    disable_surveys_automatic_display: OFF,
    advanced_enable_surveys: OFF,
    surveys_request_timeout_ms: [10_000, 'integer'],
    surveys: [{}, 'object'],
    override_display_language: [null, 'string | null'],
  },
  remote: { surveys: [(value) => isBoolean(value) || Array.isArray(value)] },
  members: { surveys: { prefillFromUrl: 'boolean' } },
  connect: (client) => {
    const { context } = client
    const { config, remote, log } = context
    let isBlocked = false
    let amend: Parameters<SurveyParts['onAmend']>[0] | undefined

    const isOff = () => config.disable_surveys || config.advanced_disable_flags || context.isOptedOut()
    const isOn = () => config.advanced_enable_surveys || [remote.items.surveys].flat()[0]
    return {
      onMissing: lateCalls(client, {
        absence: () => {
          if (isBlocked || isOff()) return 'surveys are off or blocked'
          return remote.items.surveys !== undefined && !isOn() ? NONE : undefined
        },
        answer: (path, [callback], error) => {
          if (isFunction(callback)) callback([], { isLoaded: error === NONE, error })
          const reason: SurveyRenderReason = { visible: false, disabledReason: error }
          if (path === 'canRenderSurvey') return reason
          if (path === 'canRenderSurveyAsync') return Promise.resolve(reason)
          if (!isFunction(callback)) log.warn(whyAbsent(path, `(${error})`))
          return undefined
        },
      }),
      stage: {
        name: 'surveys',
        before: 'person',
        run: (event, _, then) => (!then?.isPast && amend?.(event)) || event,
      },
      runs: {
        // The extension closes the surveys of the previous person, and keeps the definitions that it has loaded.
        isOfPage: true,
        wanted: () => isOn() && !isOff(),
        start: (host) => {
          // Functions that the core contains anyway, passed so that the extension does not contain them twice.
          const parts: Omit<SurveyParts, keyof FeatureHost> = {
            apiHost,
            link: linkTo(client),
            onNavigate,
            readDevice,
            storageOf,
            onAmend: (run) => {
              amend = run
            },
          }
          return host.startExtension('surveys', parts, () => {
            isBlocked = true
            client.calls.replay()
          })
        },
      },
    }
  },
} satisfies Feature
