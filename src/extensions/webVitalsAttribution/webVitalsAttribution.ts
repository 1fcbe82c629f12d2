import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals/attribution'
import type { VitalsParts } from '../../host'
import type { Extension } from '../contract'
import { createMetricSource } from '../webVitals/metrics'
import { startVitals } from '../webVitals/startVitals'
import { createAttributor } from './attributor'

const source = createMetricSource({ CLS: onCLS, FCP: onFCP, INP: onINP, LCP: onLCP, TTFB: onTTFB }, createAttributor)

/** Captures the page's web vitals with the causes of their values. */
export const start: Extension<VitalsParts>['start'] = (host) => startVitals(host, source)
