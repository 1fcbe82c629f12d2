import { checkDays, type Days, dayNames, daysOf } from './load/days'
import { ChartError, keepsData } from './load/errors'
import { runChart } from './load/run'
import { sourceOf } from './load/tokens'
import { type ChartData, NO_DATA } from './model'
import { readResult } from './read/result'
import { toCsv } from './save/csv'
import { download } from './save/download'
import { toPng } from './save/png'
import { type ChartProperties, LOOK_ATTRIBUTES, readDays, readLook, readRefresh, readRequest } from './settings'
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

interface State {
  data: ChartData
  days: Days | undefined
  error: ChartError | undefined
  isLoading: boolean
}

/** Connects an element to its requests and its view. `defaultHost`: the service, unless the element names one. */
export const createChart = (host: HTMLElement, defaultHost: string): Chart => {
  const properties: ChartProperties = {}
  const shadow = host.attachShadow({ mode: 'open' })
  const state: State = { data: NO_DATA, days: undefined, error: undefined, isLoading: false }
  let chosen: { readonly from: string; readonly to: string } | undefined
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
      download(`${fileName()}.csv`, new Blob(['\ufeff', toCsv(state.data.table)], { type: 'text/csv;charset=utf-8' })),
    onPng: () =>
      void toPng(view.picture()).then(
        (blob) => download(`${fileName()}.png`, blob),
        (error: unknown) => fail(toChartError(error)),
      ),
  })

  const show = () => {
    try {
      view.show({ ...state, look: readLook(host, properties), error: state.error?.message })
    } catch (error) {
      // A result that breaks the drawing must not break the page.
      if (state.data === NO_DATA) return
      state.data = NO_DATA
      fail(toChartError(error))
    }
  }

  const fail = (error: ChartError) => {
    state.error = error
    if (!keepsData(error)) state.data = NO_DATA
    show()
    const { code, message, status, retryAfterMs } = error
    emit('error', { code, message, status, retryAfterMs })
  }

  const ask = async (signal: AbortSignal) => {
    const request = readRequest(host, properties, defaultHost)
    const source = sourceOf(request.provider, request.token)
    const asked = chosen ?? readDays(host)
    if (chosen && state.days) checkDays({ ...state.days, ...chosen })
    const names = dayNames(await source.get())
    const days = Object.fromEntries(
      (['from', 'to'] as const).flatMap((edge) => (asked[edge] ? [[names[edge], asked[edge]]] : [])),
    )
    const response = await runChart({ ...request, variables: { ...request.variables, ...days } }, source, signal)
    const data = readResult(response)
    if (!data) throw new ChartError('unreadable', `${request.host} did not return a result. Check "host".`)
    return { data, days: daysOf(response, asked) }
  }

  const load = async () => {
    stop()
    const own = (loading = new AbortController())
    state.isLoading = true
    if (state.data === NO_DATA) show()
    else view.wait()
    try {
      const answer = await ask(own.signal)
      if (own.signal.aborted) return
      Object.assign(state, answer, { error: undefined, isLoading: false })
      show()
      if (!state.error) emit('load')
    } catch (error) {
      if (own.signal.aborted) return
      state.isLoading = false
      fail(toChartError(error))
    }
    const wait = state.error?.retryAfterMs ?? readRefresh(host)
    if (wait !== undefined) timer = setTimeout(() => loadWhenVisible(own.signal), wait)
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
      if (!isConnected) return
      if (name === 'from' || name === 'to') chosen = undefined
      changes.add(name)
      if (changes.size > 1) return
      // Several changes of one task are one request.
      queueMicrotask(() => {
        const isLook = [...changes].every((each) => LOOK_ATTRIBUTES.includes(each) || each === 'words')
        changes.clear()
        if (!isConnected) return
        if (isLook) show()
        else void load()
      })
    },
    toCSV: () => toCsv(state.data.table),
    toPNG: () => toPng(view.picture()),
  }
}
