import { type Answer, type Chosen, requestAnswer } from './answer'
import { ChartError, keepsData } from './load/errors'
import { NO_DATA } from './model'
import { toCsv } from './save/csv'
import { download } from './save/download'
import { toPng } from './save/png'
import { type ChartProperties, DATA_ATTRIBUTES, LOOK_ATTRIBUTES, readLook, readRefresh } from './settings'
import { createView } from './view/chartView'
import { adoptStyles } from './view/styles'

/** The work of one element. */
export interface Chart {
  readonly properties: ChartProperties
  connect(): void
  disconnect(): void
  /** Takes over a changed attribute or property. */
  change(name: string): void
  toCSV(): string
  toPNG(): Promise<Blob>
}

/** Code and message of an error of the component itself: a result that it cannot read or draw. */
const toChartError = (error: unknown): ChartError =>
  error instanceof ChartError
    ? error
    : new ChartError(
        'not_drawn',
        `The result could not be drawn: ${error instanceof Error ? error.message : String(error)}.`,
      )

/** Attributes and properties that change no request. */
const LOOKS = [...LOOK_ATTRIBUTES, 'words']
/** Attributes and properties that keep the current data. */
const KEEPING = [...LOOKS, 'refresh']
const EMPTY: Answer = { data: NO_DATA, days: undefined }

/** Connects an element to its requests and its view. `defaultHost`: the service, unless the element names one. */
export const createChart = (host: HTMLElement, defaultHost: string): Chart => {
  const properties: ChartProperties = {}
  const shadow = host.attachShadow({ mode: 'open' })
  let answer = EMPTY
  let error: ChartError | undefined
  let isLoading = false
  /** Whether the current data belongs to earlier settings. */
  let isOutdated = false
  let chosen: Chosen | undefined
  let loading: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const changes = new Set<string>()
  let isConnected = false

  const fileName = () => host.getAttribute('endpoint')?.replace(/[^\w-]+/g, '-') || 'chart'
  const emit = (type: string, detail?: object) => host.dispatchEvent(new CustomEvent(type, { detail }))
  const view = createView(shadow, {
    onDays(days) {
      chosen = { from: days.from, to: days.to }
      void load()
    },
    onCsv: () =>
      download(`${fileName()}.csv`, new Blob(['\ufeff', toCsv(answer.data.table)], { type: 'text/csv;charset=utf-8' })),
    onPng: () =>
      void toPng(view.picture()).then(
        (blob) => download(`${fileName()}.png`, blob),
        () => fail(new ChartError('not_saved', 'This browser could not draw the picture.')),
      ),
  })

  const show = () => {
    try {
      view.show({ ...answer, isLoading, look: readLook(host, properties), error: error?.message })
    } catch (failure) {
      // A result that breaks the drawing must not break the page.
      if (answer.data === NO_DATA) return
      fail(toChartError(failure))
    }
  }

  const fail = (failure: ChartError) => {
    error = failure
    isLoading = false
    if (isOutdated || !keepsData(failure)) answer = { ...answer, data: NO_DATA }
    show()
    const { code, message, status, retryAfterMs } = failure
    emit('error', { code, message, status, retryAfterMs })
  }

  const load = async () => {
    stop()
    const { signal } = (loading = new AbortController())
    isLoading = true
    if (answer.data === NO_DATA) show()
    else view.wait()
    try {
      const next = await requestAnswer({ host, properties, defaultHost, chosen, days: answer.days }, signal)
      if (signal.aborted) return
      answer = next
      error = undefined
      isLoading = isOutdated = false
      show()
      // Unless it could not be drawn.
      if (answer === next) emit('load')
    } catch (failure) {
      if (signal.aborted) return
      fail(toChartError(failure))
    }
    const wait = error?.retryAfterMs ?? readRefresh(host)
    if (wait !== undefined) timer = setTimeout(() => loadWhenVisible(signal), wait)
  }

  const loadWhenVisible = (signal: AbortSignal) => {
    if (!document.hidden) return void load()
    document.addEventListener('visibilitychange', () => document.hidden || void load(), { signal })
  }

  const stop = () => {
    clearTimeout(timer)
    loading?.abort()
  }

  const observer =
    typeof ResizeObserver === 'undefined'
      ? undefined
      : new ResizeObserver(() => requestAnimationFrame(() => view.redraw()))

  return {
    properties,
    connect() {
      isConnected = true
      adoptStyles(shadow)
      observer?.observe(view.plot)
      void load()
    },
    disconnect() {
      isConnected = false
      observer?.disconnect()
      stop()
    },
    change(name) {
      const isNew = !KEEPING.includes(name)
      isOutdated ||= isNew
      if (DATA_ATTRIBUTES.includes(name)) answer = EMPTY
      // The reader chose the days for the earlier settings.
      if (isNew && name !== 'variables') chosen = undefined
      if (!isConnected) return
      changes.add(name)
      if (changes.size > 1) return
      // Several changes of one task are one request.
      queueMicrotask(() => {
        const isLook = [...changes].every((each) => LOOKS.includes(each))
        changes.clear()
        if (!isConnected) return
        if (isLook) show()
        else void load()
      })
    },
    toCSV: () => toCsv(answer.data.table),
    toPNG: () => toPng(view.picture()),
  }
}
