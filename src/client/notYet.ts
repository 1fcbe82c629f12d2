import type { Properties, Stop } from '../types'

/** A survey, as services of the protocol describe it. */
export interface Survey {
  id: string
  name: string
  description?: string
  type: string
  questions: Record<string, unknown>[]
  appearance?: Record<string, unknown> | null
  conditions?: Record<string, unknown> | null
  start_date?: string | null
  end_date?: string | null
  [item: string]: unknown
}
export type SurveyCallback = (surveys: Survey[], context?: { isLoaded: boolean; error?: string }) => void

/** The paths of the methods in an object, such as `capture` and `people.set`. */
export type MethodPath<T> = {
  [N in keyof T & string]: T[N] extends (...args: never[]) => unknown ? N : `${N}.${keyof T[N] & string}`
}[keyof T & string]

type Report = (name: string, value?: number, options?: { unit?: string; attributes?: Properties }) => void

/** Methods of features that are not in this release: they warn in the console, and callbacks of surveys receive none. */
export interface NotYet {
  captureLog(options: { body: string; level?: string; attributes?: Properties }): void
  loadToolbar(parameters: Record<string, unknown>): boolean | undefined
  getSurveys(callback: SurveyCallback, forceReload?: boolean): void
  getActiveMatchingSurveys(callback: SurveyCallback, forceReload?: boolean): void
  onSurveysLoaded(callback: SurveyCallback): Stop
  displaySurvey(id: string, options?: Record<string, unknown>): void
  renderSurvey(id: string, selector: string): void
  canRenderSurvey(id: string): { visible: boolean; disabledReason?: string } | undefined
  canRenderSurveyAsync(id: string, forceReload?: boolean): Promise<{ visible: boolean; disabledReason?: string }>
  cancelPendingSurvey(id: string): void
  setIdentity(id: string, hash: string): void
  clearIdentity(): void
  getExtension(name: string): undefined
  metrics: { count: Report; gauge: Report; histogram: Report; flush(): void }
}

/** The paths of these methods, and what they return. */
export const NOT_YET: Record<string, unknown> = {
  captureLog: undefined,
  loadToolbar: undefined,
  getSurveys: undefined,
  getActiveMatchingSurveys: undefined,
  onSurveysLoaded: () => {},
  displaySurvey: undefined,
  renderSurvey: undefined,
  canRenderSurvey: undefined,
  canRenderSurveyAsync: Promise.resolve({ visible: false }),
  cancelPendingSurvey: undefined,
  setIdentity: undefined,
  clearIdentity: undefined,
  getExtension: undefined,
  'metrics.count': undefined,
  'metrics.gauge': undefined,
  'metrics.histogram': undefined,
  'metrics.flush': undefined,
} satisfies Record<MethodPath<NotYet>, unknown>
