import type { EarlyMoment, Moment } from './lib/moment'
import type {
  AutocaptureConfig,
  CapturedEvent,
  CaptureOptions,
  Config,
  DropReason,
  Explanation,
  FlagDetails,
  FlagOptions,
  FlagOverride,
  FlagResult,
  FlagValue,
  Notices,
  PerformanceConfig,
  Properties,
  RequestError,
  Stop,
  Survey,
  SurveyAnswer,
  SurveyCallback,
  SurveyRenderReason,
  DisplaySurveyOptions,
} from './types'

/** The parts of the SDK that sources and extensions may use. */
export interface Host {
  /** The live configuration: read it when needed, never copy it. */
  config: Config
  /** Captures an event that happened now, or at an earlier `moment`. */
  capture(event: string, properties?: Properties, options?: CaptureOptions, moment?: Moment): CapturedEvent | undefined
  /** Returns what an event that is captured later takes from now: its person, session, groups, URL and time. */
  moment(): Moment
}

/** What an extension adds to its client while it runs: methods, and hooks of the client (client/feature.ts). */
export interface Link {
  /** Methods by their public names. */
  api?: object
  onAlign?(): void
  onReset?(): void
  onCapture?(event: CapturedEvent): void
}

/** What extensions with methods use of the client. */
interface Linked {
  /** Returns the moment of a call that has waited for the extension, while it runs. */
  early(): EarlyMoment | undefined
  /** Adds methods and hooks to the client until stopped. Calls that have waited for them run. */
  link(link: Link): Stop
}

/** Something that happened on the page: a click, or a possible response to one. */
export interface PageActivity {
  /** The type of a DOM event; `mutation`; `call` for a function that shows something without changing the document. */
  type: string
  /** Time of observation, ms of `performance.now`. */
  at: number
  /** The page's URL at that moment. */
  url: string
  /** Whether it happened in the same task as a click, so that the click's handlers caused it. */
  isInClickTask: boolean
  event?: Event
  /** For a click, a press, or the end of a touch. */
  moment?: Moment
  /** The element of the event, inside open shadow roots too. A click has `path` instead. */
  target?: EventTarget
  /** For those: the element and its ancestors, innermost first, read during the event. False if it has no element. */
  path?: readonly Element[] | false
  records?: readonly MutationRecord[]
  /** The value that each of `records` left its attribute with. */
  values?: readonly (string | null | undefined)[]
}

/** What people have typed, which must not leave the page. */
export interface Typing {
  /** The fields that a person typed into last. */
  fields: Set<Node>
  /** Remembers the fields that a person types into from now on. */
  follow(): Stop
  /** Returns the forms in which text and URLs may repeat their values. Short values are left out. */
  texts(): string[]
  /** Returns a function that tells whether a text repeats what has been typed so far. */
  matcher(): (text: string) => boolean
  /** Whether a text contains one of these forms. */
  repeats(text: string, forms: readonly string[]): boolean
  /** Returns what formatting leaves of a text: letters, digits, and one space for everything between them. */
  fold(text: string): string
  /** Whether a form is searched for across spaces and punctuation. */
  isAcrossWords(form: string): boolean
}

/** What the click source adds to the host of the click detection. */
export interface ClickParts {
  /** The page's activity since its first click, and that click. The detection takes it out. */
  buffered: PageActivity[]
  /** Passes all later activity on. */
  onActivity(listener: (activity: PageActivity) => void): void
  /** Stops watching the page. Every click starts it. */
  disconnect(): void
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

/** A queue of chunks and its outbox, as `delivery/` creates them. */
interface ChunkQueue {
  addEntry(entry: { event: string; uuid: string; at: number; text: string }, now: boolean): void
  flush(): void
  adoptOrphans(): void
  onPageLeave(): void
  clear(reason: 'opted_out'): void
  retryNow(): void
  stop: Stop
}

/** Methods with which a site adds to the recording. */
export interface SiteEvents {
  /** Records a line of text like console output. */
  log(message: string, level?: string): void
  /** Records a custom event of the site. Returns whether it was recorded. */
  tryAddCustomEvent(tag: string, payload?: unknown): boolean
}

/** What a site sees of the recording, and adds to it. */
export interface SiteRecording extends SiteEvents {
  /** Whether the session is recorded, as `$recording_status`: `active` or `sampled`, or why not. */
  readonly status: string
  /** Captures requests on localhost too. Set after `init`. */
  _forceAllowLocalhostNetworkCapture?: boolean
}

/** What the recording feature and the recorder change. The recorder sets the methods. */
export interface SharedWithRecorder extends SiteRecording {
  /** What recording adds to every event. */
  properties: Properties
  /** The override of `startSessionRecording`, until the recorder has taken it. */
  override?: unknown
}

/** What the recording feature passes on to console, network and canvas capture. */
interface RecorderPluginTools {
  /** Removes secrets, and what options exclude, from the URLs in a string. `ofResource`: keeps hashes, which name its parts. */
  outgoingText(text: string, ofResource?: boolean): string
  /** Returns a string without payment card and social security numbers, with white space collapsed. */
  withoutSensitive(text: string): string
}

/** What the recording feature adds to the host of the recorder. */
export interface RecorderParts extends RecorderPluginTools {
  token: string
  /** The release. */
  version: string
  log: { error(message: string, ...details: unknown[]): void; warn(message: string): void }
  distinctId(): string
  /** Returns the session's id. Begins a session where there is none. */
  sessionId(): string
  /** Stored values of the visitor, under the protocol's names. Names that are not reserved are properties of every event. */
  store: { get<T>(name: string): T | undefined; set(values: Properties): void }
  /** The tab's storage; undefined if nothing may be stored. */
  tab(): { getItem(name: string): string | null; setItem(name: string, value: string): boolean } | undefined
  /** Names of entries in it. */
  tabKeys: readonly string[]
  ledger: {
    on(name: 'eventCaptured', listener: (event: CapturedEvent) => void): Stop
    lost(event: { event: string; uuid: string }, reason: DropReason): void
  }
  /** Checks the members of `session_recording` by these types, now and when they change. */
  defineMembers(members: { session_recording: object }): void
  delivery: {
    /** The queue of events. */
    queue: { flush(): void }
    mayKeep(): boolean
    encode(text: string): Promise<unknown>
    onRequestError(error: RequestError): void
  }
  createOutbox(inputs: object): { align(): void }
  createQueue(inputs: object): ChunkQueue
  request(...args: unknown[]): Promise<{ json?: unknown }>
  toJson(value: unknown): string
  uuidv7(): string
  listen(
    target: EventTarget,
    types: readonly string[],
    listener: (event: Event) => void,
    options?: AddEventListenerOptions,
  ): Stop
  /** Returns a URL as it may leave the page. */
  outgoingUrl(url: string): string
  /** Names of fields whose values are never recorded. */
  sensitiveName: RegExp
  typing: Typing
  shared: SharedWithRecorder
  /** Fetches an extension and starts it with this host and `parts`. */
  startExtension(name: 'recorderPage', parts: object, onFailure: Stop): Stop
  startExtension(name: 'recorderPlugins', parts: RecorderPluginParts): Stop
  startExtension(name: 'recorderFrames', parts: RecorderFramesParts): Stop
}

/** An event of rrweb. */
export interface RecordedEvent {
  type: number
  data: unknown
  timestamp: number
}

/** What the recorder adds to the host of the recorder of frames. */
export interface RecorderFramesParts extends Pick<RecorderParts, 'listen' | 'toJson'> {
  /** Whether the page records cross-origin frames. */
  recordsFrames: boolean
  /** Returns the id of an element whose content may be recorded; undefined if it must not be, or is not in the recording. */
  openId(element: Element): number | undefined
  /** Returns a function that sanitizes and records events of a frame. `nodeOf`: returns a node of it. */
  receiver(nodeOf: (id: number) => Node | null): (event: RecordedEvent) => void
  /** Calls back after each full snapshot of the page. */
  onSnapshot(listener: () => void): Stop
  /** Records an event about the recording. */
  mark(tag: string, payload: object): void
  /** Passes all sanitized events to `post` instead of sending them, from a full snapshot on; undefined: sends them again. */
  onParent(post: ((event: RecordedEvent) => void) | undefined): void
}

/** What the recorder adds to the host of console, network and canvas capture. */
export interface RecorderPluginParts extends RecorderPluginTools {
  /** Adds an event to the recording. */
  add(type: number, data: object): void
  /** Returns the id of an element whose content may be recorded; undefined if it must not be, or is not in the recording. */
  openId(element: Element): number | undefined
  /** Returns a URL as it may be recorded. */
  pageUrl(url: string): string
  /** Returns the number of full snapshots. */
  snapshots(): number
  /** Returns a string without what a person typed. */
  hideTyped(text: string): string
  /** Returns a header or body of a request without what a person typed, also until then. */
  hideTypedInRequest(text: string): string
  recordsCanvas: boolean
  capturesConsole: boolean
  /** What is recorded of requests; false: nothing. */
  network: false | { timing: boolean; headers: boolean; body: boolean }
  /** Whether the content of console output and requests is left out. */
  isStrict: boolean
}

/** Functions of the main script for extensions that describe pages. An import would make chunks of them in the npm build. */
interface PageParts {
  /** Listens to DOM events until stopped. Errors in the listener do not reach the page. */
  listen(
    target: EventTarget,
    types: readonly string[],
    listener: (event: Event) => void,
    options?: AddEventListenerOptions,
  ): Stop
  /** Returns a URL as it may leave the page. */
  outgoingUrl(url: string): string
  typing: Typing
}

/** What the vitals feature adds to the host of its extension. */
export interface VitalsParts extends PageParts {
  /** Returns text as it may leave the page. */
  outgoingText(text: string): string
  /** Calls `run`. Errors it throws do not reach the page. */
  guarded(run: () => void): void
  /** Returns the current settings: the site's own, and the project's for those that the site did not set. */
  settings(): PerformanceConfig
}

/** What the heatmap feature adds to the host of its extension. */
export interface HeatmapParts extends PageParts, Pick<Linked, 'link'> {
  /** Fires for a same-document navigation. */
  onNavigate(run: () => void): Stop
  /** Fires when the page is restored from the back/forward cache. */
  onPageRestored(run: () => void): Stop
  uuidv7(): string
}

/** What the exception feature adds to the host of its extension. */
export interface ExceptionParts extends Linked {
  /** Returns a copy of properties that is safe to convert to JSON. */
  toProperties(value: unknown): Properties
  /** Calls `after` whenever `target[method]` has run. Returns a function that restores the original. */
  patch<T extends object, K extends keyof T>(target: T, method: K, after: (...args: unknown[]) => void): Stop
  typing: Typing
  ledger: {
    /** Counts an exception that is not captured. */
    dropped(event: { event: string; reason: DropReason }): void
  }
}

/** The methods of the surveys extension, under their public names. */
export interface SurveyMethods {
  getSurveys(callback: SurveyCallback, forceReload?: boolean): void
  getActiveMatchingSurveys(callback: SurveyCallback, forceReload?: boolean): void
  onSurveysLoaded(callback: SurveyCallback): Stop
  displaySurvey(id: string, options?: DisplaySurveyOptions): void
  renderSurvey(id: string, selector: string): void
  canRenderSurvey(id: string): SurveyRenderReason
  canRenderSurveyAsync(id: string, forceReload?: boolean): Promise<SurveyRenderReason>
  cancelPendingSurvey(id: string): void
}

/** Local storage that never throws. */
export interface SurveyStorage {
  getItem(name: string): string | null
  setItem(name: string, value: string): boolean
  removeItem(name: string): void
}

/** What the surveys feature adds to the host of its extension. */
export interface SurveyParts extends Linked {
  token: string
  distinctId(): string
  /** Number of the current person on this page. */
  person(): number
  log: { error(message: string, ...details: unknown[]): void; warn(message: string): void; info(message: string): void }
  /** Stored values of the visitor, under the protocol's names. */
  store: { get<T>(name: string): T | undefined; set(values: Properties): void }
  /** Methods of the client. Those of features that the site leaves out are missing. */
  api(): {
    isFeatureEnabled?(key: string, options: FlagOptions): boolean | undefined
    getFeatureFlag?(key: string, options: FlagOptions): FlagValue | undefined
    onFeatureFlags?(listener: () => void): Stop
    reloadFeatureFlags?(): void
    get_session_replay_url?(): string
  }
  /** Whether anything may be stored in the browser. */
  mayStore(): boolean
  storageOf(kind: 'localStorage'): SurveyStorage | undefined
  apiHost(config: Config): string
  request(
    url: string,
    body: undefined,
    config: Config,
    timeoutMs: number,
  ): Promise<{ status: number; text: string; json?: unknown }>
  delivery: {
    /** Calls `on_request_error`. */
    onRequestError(error: RequestError): void
  }
  /** Returns properties of the browser, such as `$device_type`. */
  readDevice(): Properties
  uuidv7(): string
  listen(
    target: EventTarget,
    types: readonly string[],
    listener: (event: Event) => void,
    options?: AddEventListenerOptions,
  ): Stop
  /** Fires for a same-document navigation. */
  onNavigate(listener: () => void): Stop
  /** Sets what completes an event of a survey before it is captured; undefined: nothing. */
  onAmend(amend: ((event: CapturedEvent) => CapturedEvent) | undefined): void
  /** Fetches an extension and starts it with this host and `parts`. `onFailure`: it does not run. */
  startExtension(name: 'surveysView' | 'surveysHtml', parts: object, onFailure: Stop): Stop
}

/** A survey that the visitor has begun, as it is stored. Names are the protocol's. */
export interface SurveyProgress {
  surveySubmissionId: string
  /** Index of the current question in the stored order. */
  lastQuestionIndex: number
  /** Indexes of the questions before it, in the order in which they were answered. */
  visitedIndices: number[]
  /** Answers by `$survey_response_<id of the question>`. */
  responses: Record<string, SurveyAnswer>
  surveyLanguage?: string
}

/** What the view reports about a survey that it shows. */
export interface SurveyReports {
  shown(): unknown
  /** Called when the visitor answered a question. `isComplete`: it was the last. */
  answered(progress: SurveyProgress, isComplete: boolean): void
  /** Called when the visitor closed the survey before its end. */
  dismissed(progress: SurveyProgress): void
  /** Called when nothing of the survey is visible anymore. */
  gone(): void
}

export interface ShowSurvey {
  survey: Survey
  progress: SurveyProgress
  /** Whether the visitor had begun it. */
  isBegun: boolean
  /** The element of an inline survey; undefined for a popover. */
  container?: Element
  /** The control that opened the popover, next to which it may be placed. */
  trigger?: Element
  position?: string
  /** Answers by index of the question, from the site or the URL. */
  initial: Record<number, SurveyAnswer>
  /** Whether all leading questions with an initial answer are passed, or only those without a submit button. */
  passesAll: boolean
  /** Whether the visitor opened the survey, so that focus may move into it. */
  isRequested: boolean
  reports: SurveyReports
}

export interface ShownSurvey {
  /** Removes the survey at once. Reports only `gone`. */
  remove(): void
  /** Closes the survey as its close button does. */
  dismiss(): void
  /** Hides a popover, or shows it again. */
  toggle(isVisible: boolean): void
}

/** What the view offers to the surveys extension. */
export interface SurveyView {
  show(options: ShowSurvey): ShownSurvey
  /** Adds the button or tab of a widget. `open` receives the button. Returns a function that removes it. */
  addWidget(survey: Survey, open: (trigger: Element) => void): Stop
}

/** What the surveys extension adds to the host of its view. */
export interface SurveyViewParts {
  listen: SurveyParts['listen']
  /** Resolves with an HTML sanitizer for browsers without one; undefined: it is not available. */
  loadSanitizer(allowed: SurveyHtmlParts['allowed']): Promise<SanitizeHtml | undefined>
  use(view: SurveyView): void
}

/** Returns the allowed part of some HTML. */
export type SanitizeHtml = (html: string) => DocumentFragment

/** What the surveys extension adds to the host of the HTML sanitizer. */
export interface SurveyHtmlParts {
  /** Names of the elements and attributes that HTML may contain. */
  allowed: { elements: string[]; attributes: string[] }
  use(clean: SanitizeHtml): void
}

/** The methods of a client that the toolbar calls. Those of parts that the site leaves out are missing. */
export interface ToolbarApi {
  calculateEventProperties(event: string, properties?: Properties): Properties
  get_distinct_id(): string
  get_session_id(): string
  getAllFeatureFlags?(): FlagResult[]
  onFeatureFlags?(listener: () => void): Stop
  featureFlags?: {
    getFeatureFlagDetails(key: string): FlagDetails | undefined
    overrideFeatureFlags(overrides: FlagOverride): void
  }
}

/** What the toolbar feature adds to the host of its extension. */
export interface ToolbarParts extends Pick<Linked, 'link'> {
  token: string
  /** The code of the console's link, if the page was opened by one. */
  code?: string
  /** Stops the toolbar. */
  end(): void
  api(): Partial<ToolbarApi>
  delivery: {
    /** Calls `on_request_error`. */
    onRequestError(error: RequestError): void
  }
  ledger: {
    on<N extends 'eventCaptured' | 'eventDropped'>(name: N, listener: (value: Notices[N]) => void): Stop
    explain(which?: string): Explanation[]
    drops(): Partial<Record<DropReason, number>>
  }
  /** Stored values of the visitor, under the protocol's names. */
  store: { get<T>(name: string): T | undefined }
  listen: PageParts['listen']
  /** Fires for a same-document navigation. */
  onNavigate(run: () => void): Stop
  /** The element and its ancestors, innermost first. */
  pathOf(element: Element): Element[]
  /** What may be captured of each element of a path. */
  checkPath(path: readonly Element[]): { element: Element; isField: boolean; isSensitive: boolean }[]
  /** Whether autocapture's rules let an event on the first element of a path be captured. */
  mayCapture(type: string, path: readonly Element[], lists: AutocaptureConfig): boolean
  /** The properties of `$autocapture` for an event on the first element of a path, with what `maskingOf` leaves out. */
  describeEvent(type: string, path: readonly Element[], masking: ToolbarMasking): { properties: Properties }
  maskingOf(config: Config): ToolbarMasking
  /** The plain default of each option, and its type. */
  OPTIONS: Record<string, readonly [fallback: unknown, takes: string, ...unknown[]]>
  /** Defaults that changed, by date. */
  DATED_DEFAULTS: readonly (readonly [since: string, changes: Partial<Config>])[]
}

/** What is left out of the descriptions of elements. */
interface ToolbarMasking {
  permitted(name: string, value: string): string
  maskText: boolean
  maskAttributes: boolean
  ignoredAttributes: readonly string[]
  typed: readonly string[]
}
