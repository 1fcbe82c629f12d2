import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals'
import type { VitalsParts } from '../../host'
import type { Extension } from '../contract'
import { createMetricSource } from './metrics'
import { startVitals } from './startVitals'

const source = createMetricSource({ CLS: onCLS, FCP: onFCP, INP: onINP, LCP: onLCP, TTFB: onTTFB })

/** Captures the page's web vitals. */
export const start: Extension<VitalsParts>['start'] = (host) => startVitals(host, source)
