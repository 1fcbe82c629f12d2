import type { ExtensionHost } from '../contract'
import type { SurveyParts } from '../../host'
import type { Stop, Survey, SurveyCallback } from '../../types'
import { isUsable, readSurvey } from './isUsable'

// After a failure, the service has this long to recover, ms.
const BACK_OFF_MS = 300_000

export interface Definitions {
  /** Returns the surveys that have loaded; undefined before. */
  current(): readonly Survey[] | undefined
  /** Passes the surveys to `callback`: those that have loaded, unless `reload` is true. */
  load(callback: SurveyCallback, reload?: boolean): void
  /** Calls `callback` each time they have loaded, until stopped. */
  onLoad(callback: SurveyCallback): Stop
}

/** Loads the project's running surveys. Calls at the same time share one request. */
export const createDefinitions = ({
  config,
  token,
  log,
  later,
  apiHost,
  request,
  delivery,
}: ExtensionHost & SurveyParts): Definitions => {
  let surveys: Survey[] | undefined
  let error: string | undefined
  let failedAt = -Infinity
  let loading: Promise<void> | undefined
  const listeners = new Set<SurveyCallback>()

  const fetchAll = async () => {
    const url = `${apiHost(config)}/api/surveys/?token=${encodeURIComponent(token)}`
    const { status, text, json } = await request(url, undefined, config, config.surveys_request_timeout_ms)
    if (status >= 400) delivery.onRequestError({ statusCode: status, text, json })
    const received = (json as { surveys?: unknown } | undefined)?.surveys
    loading = undefined
    if (status !== 200 || !Array.isArray(received)) {
      failedAt = performance.now()
      error = `surveys could not be loaded, status ${status}`
      return log.warn(error)
    }
    const broken = received.filter((each) => !isUsable(each)).map((each: Partial<Survey> | null) => each?.id)
    if (broken.length) log.warn(`Ignored surveys that are malformed or of a newer release: ${broken.join(', ')}`)
    surveys = received.flatMap((each) => readSurvey(each) ?? [])
    error = undefined
  }
  // In a separate task, so that an error in the site's callback does not stop the others.
  const answer = (callback: SurveyCallback) =>
    void later(() => callback(surveys ?? [], { isLoaded: !!surveys, error }), 0)
  return {
    current: () => surveys,
    onLoad: (callback) => {
      const listener: SurveyCallback = (...loaded) => {
        if (listeners.has(listener)) callback(...loaded)
      }
      listeners.add(listener)
      if (surveys) answer(listener)
      return () => void listeners.delete(listener)
    },
    load: (callback, reload) => {
      if ((surveys && !reload) || performance.now() - failedAt < BACK_OFF_MS) return answer(callback)
      loading ??= fetchAll().then(() => listeners.forEach(answer))
      void loading.then(() => answer(callback))
    },
  }
}
