import type { CapturedEvent, CaptureOptions, Config, Properties, Stop } from './types'

/** All that a source or an extension may see of the SDK. */
export interface Host {
  /** The live configuration: read it when needed, never copy it. */
  config: Config
  capture(event: string, properties?: Properties, options?: CaptureOptions): CapturedEvent | undefined
}

/** A click, or something that may be the effect of one. */
export interface Happening {
  /** The type of a DOM event; `mutation`; `call` for a function that shows something without changing the document. */
  type: string
  /** When it was heard, ms of `performance.now`. */
  at: number
  /** The page's address at that moment. */
  url: string
  event?: Event
  /** Where the event happened, inside open shadow roots too. */
  target?: EventTarget
  records?: readonly MutationRecord[]
}

/** What the core lends to the extension that judges clicks. */
export interface ClickHost extends Host {
  later(run: () => void, ms: number): ReturnType<typeof setTimeout>
  onPageLeave(run: () => void): Stop
  /** Ends the watching of the page, which every click begins. */
  rest(): void
  /** The element and its ancestors, innermost first. */
  pathOf(element: Element): Element[]
  /** Whether any selector matches any element of a path. */
  anyMatches(path: readonly Element[], selectors: readonly string[]): boolean
  /** Whether autocapture's rules for elements let a click on the first element of a path be told. */
  mayTell(path: readonly Element[]): boolean
  /** The properties of `$autocapture` for such a click, `elements` being what they say of each element. */
  describe(path: readonly Element[]): { properties: Properties; elements: readonly ElementDescription[] }
  /** The text of an element that may be told. */
  safeText(element: Element): string
}

/** What is told of an element. */
export interface ElementDescription {
  tag: string
  classes: string[]
  attributes: Record<string, string>
  text?: string
  nthChild: number
  nthOfType: number
}

/** Judges clicks by what follows them. */
export interface ClickJudge {
  hear(happening: Happening): void
  stop: Stop
}

/** `early`: what has happened since the page's first click, and that click. */
export type CreateClickJudge = (host: ClickHost, early: readonly Happening[]) => ClickJudge
