import { isBoolean } from '../../lib/json'
import { OFF } from '../../config/options'
import { onNavigate } from '../../browser/navigation'
import { readDevice } from '../../browser/device'
import { listen } from '../../browser/signal'
import { storageOf } from '../../browser/storage'
import { apiHost } from '../../delivery/hosts'
import type { SurveyLink, SurveyParts } from '../../host'
import { guarded } from '../../lib/guard'
import { objectOf } from '../../lib/objects'
import { uuidv7 } from '../../lib/uuid'
import type { SurveyCallback } from '../../types'
import type { Feature, FeatureHost } from '../feature'
import type { SurveyApi } from '../publicApi'
import { SURVEY_METHODS } from './methods'

const NONE = 'no surveys'
const QUERY = /^(get|can|on)/

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
  connect: ({ context, delivery }) => {
    const { config, remote, log } = context
    let extension: SurveyLink | undefined
    let isBlocked = false
    /** Calls made before it is known whether there are surveys. */
    const waiting: (() => unknown)[] = []

    const isOff = () => config.disable_surveys || config.advanced_disable_flags || context.isOptedOut()
    const isOn = () => config.advanced_enable_surveys || [remote.items.surveys].flat()[0]
    /** Why there are no surveys; undefined if there are some, or if that is not known yet. */
    const absence = () => {
      if (isBlocked || isOff()) return 'surveys are off or blocked'
      return remote.items.surveys !== undefined && !isOn() ? NONE : undefined
    }
    const call = (name: string, args: readonly unknown[]): unknown => {
      const error = absence()
      if (!error)
        return extension
          ? (extension.api as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args)
          : name === 'canRenderSurvey'
            ? undefined
            : // Only the caller of `canRenderSurveyAsync` uses it.
              new Promise((done) => {
                const person = context.person()
                // A survey that was to be shown to one person is not shown to the next.
                waiting.push(() => done((person === context.person() || QUERY.test(name)) && call(name, args)))
              })
      const [callback] = args
      if (typeof callback === 'function') (callback as SurveyCallback)([], { isLoaded: error === NONE, error })
      else if (!name.startsWith('can')) log.warn(`${name}() does nothing: ${error}`)
      return { visible: false, disabledReason: error }
    }
    const settle = () => {
      if (extension || absence()) waiting.splice(0).forEach(guarded)
    }
    remote.onChange(settle)

    return {
      api: {
        ...(objectOf(
          Object.keys(SURVEY_METHODS),
          (name) =>
            (...args: unknown[]) =>
              call(name, args),
        ) as unknown as SurveyApi),
        surveys: {},
        onSurveysLoaded: (callback) => {
          let isStopped = false
          const listener: SurveyCallback = (...loaded) => isStopped || callback(...loaded)
          void call('onSurveysLoaded', [listener])
          return () => {
            isStopped = true
          }
        },
      },
      stage: {
        name: 'surveys',
        before: 'person',
        run: (event, _, then) => (!then?.isPast && extension?.amend(event)) || event,
      },
      onCapture: (event) => extension?.onCapture(event),
      onReset: () => extension?.onReset(),
      onAlign: settle,
      runs: {
        // The extension closes the surveys of the previous person, and keeps the definitions that it has loaded.
        isOfPage: true,
        wanted: () => isOn() && !isOff(),
        start: (host) => {
          // Functions that the core contains anyway, passed so that the extension does not contain them twice.
          const parts: Omit<SurveyParts, keyof FeatureHost> = {
            apiHost,
            listen,
            onNavigate,
            readDevice,
            request: delivery.send,
            storageOf,
            uuidv7,
            use: (next: SurveyLink) => {
              extension = next
              settle()
            },
          }
          const stop = host.startExtension('surveys', parts, () => {
            isBlocked = true
            settle()
          })
          return () => {
            stop()
            extension = undefined
          }
        },
      },
    }
  },
} satisfies Feature
