import type { CapturedEvent, CaptureOptions, Config, DropReason, Properties, Stop } from './types'

/** The parts of the SDK that sources and extensions may use. */
export interface Host {
  /** The live configuration: read it when needed, never copy it. */
  config: Config
  capture(event: string, properties?: Properties, options?: CaptureOptions): CapturedEvent | undefined
}

/** Something that happened on the page: a click, or a possible response to one. */
export interface PageActivity {
  /** The type of a DOM event; `mutation`; `call` for a function that shows something without changing the document. */
  type: string
  /** Time of observation, ms of `performance.now`. */
  at: number
  /** The page's URL at that moment. */
  url: string
  /** Whether it happened in the task of a click, so that the click's handlers caused it. */
  isInClickTask: boolean
  event?: Event
  /** The element of the event, inside open shadow roots too. */
  target?: EventTarget
  records?: readonly MutationRecord[]
  /** The value that each of `records` left its attribute with. */
  values?: readonly (string | null | undefined)[]
}

/** What the click source adds to the host of the click detection. */
export interface ClickParts {
  /** The page's activity since its first click, and that click. */
  buffered: readonly PageActivity[]
  /** Passes all later activity on. */
  onActivity(listener: (activity: PageActivity) => void): void
  /** Stops watching the page. Every click starts it. */
  disconnect(): void
  /** The element and its ancestors, innermost first. */
  pathOf(element: Element): Element[]
  /** Whether any selector matches any element of a path. */
  anyMatches(path: readonly Element[], selectors: readonly string[]): boolean
  /** Whether autocapture's rules for elements let a click on the first element of a path be captured. */
  mayCapture(path: readonly Element[]): boolean
  /** The properties of `$autocapture` for such a click, `elements` being what they say of each element. */
  describe(path: readonly Element[]): { properties: Properties; elements: readonly ElementDescription[] }
  /** The text of an element that may be captured. */
  safeText(element: Element): string
}

/** The captured properties of an element. */
export interface ElementDescription {
  tag: string
  classes: string[]
  attributes: Record<string, string>
  text?: string
  nthChild: number
  nthOfType: number
}

/**
 * Something thrown or logged, or a step before it: its kind, the value (what was thrown, the DOM event about it, the
 * arguments of `console.error`, or the message of a step), its properties, when it happened (ms since the epoch), and an
 * error of the call, for values without a stack.
 */
export type ExceptionReport = [
  kind: 'captured' | 'error' | 'unhandledrejection' | 'console' | 'step',
  value: unknown,
  properties: unknown,
  at: number,
  trace: Error,
]

/** Captures a report. Returns the event, or undefined if there is none. */
export type ReportException = (...report: ExceptionReport) => CapturedEvent | undefined

/** What the exception feature adds to the host of its extension. */
export interface ExceptionParts {
  /** Passes waiting and later reports to `receive`. `align` is called when options or consent have changed. */
  use(receive: ReportException, align: Stop): void
  /** A copy of properties that is safe to convert to JSON. */
  toProperties(value: unknown): Properties
  /** Calls `after` whenever `target[method]` has run. Returns a function that restores the original. */
  patch<T extends object, K extends keyof T>(target: T, method: K, after: (...args: unknown[]) => void): Stop
  /** Counts an exception that is not captured. */
  drop(reason: DropReason): void
}
