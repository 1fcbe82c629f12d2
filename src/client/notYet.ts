import type { Properties } from '../types'

/** The paths of the methods in an object, such as `capture` and `people.set`. */
export type MethodPath<T> = {
  [N in keyof T & string]: T[N] extends (...args: never[]) => unknown ? N : `${N}.${keyof T[N] & string}`
}[keyof T & string]

type Report = (name: string, value?: number, options?: { unit?: string; attributes?: Properties }) => void

/** Methods of features that are not in this release: they warn in the console. */
export interface NotYet {
  captureLog(options: { body: string; level?: string; attributes?: Properties }): void
  setIdentity(id: string, hash: string): void
  clearIdentity(): void
  getExtension(name: string): undefined
  metrics: { count: Report; gauge: Report; histogram: Report; flush(): void }
}

/** Paths of these methods, with their return values. */
export const NOT_YET: Record<string, unknown> = {
  captureLog: undefined,
  setIdentity: undefined,
  clearIdentity: undefined,
  getExtension: undefined,
  'metrics.count': undefined,
  'metrics.gauge': undefined,
  'metrics.histogram': undefined,
  'metrics.flush': undefined,
} satisfies Record<MethodPath<NotYet>, unknown>
