import { type Chart, createChart } from './chart'
import type { TokenProvider } from './load/tokens'
import type { ChartType } from './model'
import { isRecord, plainText } from './read/cells'
import { DATA_ATTRIBUTES, LOOK_ATTRIBUTES, REQUEST_ATTRIBUTES } from './settings'
import type { Words } from './view/words'

/** Why a chart shows no data, or not the latest. */
export interface ChartErrorDetail {
  /** A code of the service, or one of the component, such as `unreachable`. */
  readonly code: string
  /** What was wrong and what to do, as shown in the chart. */
  readonly message: string
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Time until the chart tries again. Unset if it does not. */
  readonly retryAfterMs?: number | undefined
}

/** Attributes of `<trailmark-chart>` in JSX. */
export interface TrailmarkChartAttributes {
  /** Name of the endpoint. */
  endpoint?: string
  /** URL of the service. Default: where the script is from. */
  host?: string
  /** A run token. */
  token?: string
  /** URL on your site that returns a run token, as text or as JSON with `token`. */
  'token-provider'?: string
  /** Variables of the endpoint as a JSON object. */
  variables?: string
  /** Type of the chart. Default: the type that suits the data. */
  type?: ChartType
  /** Color theme. Default: the theme of the reader's system. */
  theme?: 'light' | 'dark'
  /** Language of numbers and dates, such as `de-CH`. Default: the language of the page. */
  locale?: string
  /** Seconds between requests, at least 5. Default: one request. */
  refresh?: number | string
  /** First day, such as `2026-01-31` or `-30d`. */
  from?: string
  /** Last day. */
  to?: string
  title?: string
  /** Text instead of a chart without data. */
  'empty-text'?: string
}

/** The element `<trailmark-chart>`. Each property has the value of its attribute, unless it says otherwise. */
export interface TrailmarkChart extends HTMLElement {
  endpoint: string
  host: string
  token: string
  /** A function that returns a run token, or a URL. Charts with the same one share its token. */
  tokenProvider: TokenProvider | string
  /** Variables of the endpoint, as an object. */
  variables: Readonly<Record<string, unknown>>
  type: ChartType | ''
  theme: string
  locale: string
  refresh: string | number
  from: string
  to: string
  emptyText: string
  /** Other words for the labels of the chart, such as a translation. */
  words: Partial<Words>
  /** Requests the data again. */
  reload(): void
  /** Returns the data as CSV. Text that a spreadsheet would run as a formula gets an apostrophe in front. */
  toCSV(): string
  /** Resolves with a picture of the chart as it looks now. */
  toPNG(): Promise<Blob>
  addEventListener(
    type: 'error',
    listener: (this: TrailmarkChart, event: CustomEvent<ChartErrorDetail>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}

/** Options of `defineChart`. */
export interface DefineChartOptions {
  /** URL of the service for charts without `host`. */
  host?: string
}

const NAME = 'trailmark-chart'
const ATTRIBUTES = [...DATA_ATTRIBUTES, ...REQUEST_ATTRIBUTES, ...LOOK_ATTRIBUTES]
/** Properties by their attributes. `title` is the browser's. */
const PROPERTIES = new Map(
  [...ATTRIBUTES.filter((name) => name !== 'title'), 'words'].map((name) => [
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    name,
  ]),
)

/** Whether a value is more than the text of an attribute. */
const isRich = (value: unknown) => typeof value === 'function' || isRecord(value)

/** Whether two values have the same JSON. */
const isEqual = (a: unknown, b: unknown) => {
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}

const createClass = (defaultHost: string) => {
  const charts = new WeakMap<HTMLElement, Chart>()
  const chartOf = (element: HTMLElement) => charts.get(element)!
  const propertiesOf = (element: HTMLElement) => chartOf(element).properties as Record<string, unknown>

  class ChartElement extends HTMLElement {
    static readonly observedAttributes = ATTRIBUTES

    constructor() {
      super()
      charts.set(this, createChart(this, defaultHost))
    }

    connectedCallback() {
      // A page may have set properties before this class was defined.
      for (const name of PROPERTIES.keys()) {
        if (!Object.hasOwn(this, name)) continue
        const own = this as unknown as Record<string, unknown>
        const value = own[name]
        delete own[name]
        own[name] = value
      }
      chartOf(this).connect()
    }

    disconnectedCallback() {
      chartOf(this).disconnect()
    }

    attributeChangedCallback(name: string, before: string | null, after: string | null) {
      if (before !== after) chartOf(this).change(name)
    }

    reload() {
      chartOf(this).change('refresh')
    }

    toCSV() {
      return chartOf(this).toCSV()
    }

    toPNG() {
      return chartOf(this).toPNG()
    }
  }

  for (const [name, attribute] of PROPERTIES)
    Object.defineProperty(ChartElement.prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement): unknown {
        return propertiesOf(this)[name] ?? this.getAttribute(attribute) ?? ''
      },
      set(this: HTMLElement, value: unknown) {
        const properties = propertiesOf(this)
        const before = properties[name]
        properties[name] = isRich(value) ? value : undefined
        if (!isRich(value)) {
          if (value === undefined || value === null) this.removeAttribute(attribute)
          else this.setAttribute(attribute, plainText(value))
        }
        // Frameworks set equal objects again and again.
        if (before === value || (isRecord(before) && isEqual(before, value))) return
        if (before || isRich(value)) chartOf(this).change(attribute)
      },
    })
  return ChartElement
}

/** Defines `<trailmark-chart>`. Does nothing if it is defined, and outside of browsers. */
export const defineChart = ({ host = '' }: DefineChartOptions = {}): void => {
  if (typeof customElements === 'undefined' || customElements.get(NAME)) return
  customElements.define(NAME, createClass(host))
}
