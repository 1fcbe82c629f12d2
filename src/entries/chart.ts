import type { TrailmarkChart as Element } from '../chart/define'

/** `trailmark/chart`: `<trailmark-chart>`, a chart of an endpoint for pages with a run token. */
export { defineChart } from '../chart/define'
export type { ChartErrorDetail, DefineChartOptions, TrailmarkChart, TrailmarkChartAttributes } from '../chart/define'

declare global {
  interface HTMLElementTagNameMap {
    'trailmark-chart': Element
  }
}
