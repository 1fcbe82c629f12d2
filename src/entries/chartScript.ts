import { defineChart } from '../chart/define'

// chart.js: defines <trailmark-chart>. The service has the script at /static/chart.js, so charts ask the service that it is from.
const { src = '' } = (document.currentScript as HTMLScriptElement | null) ?? {}
defineChart({ host: src.replace(/\/static\/[^?#]*.*$/, '') })
