import { createElement, type HTMLAttributes, type ReactElement, useEffect, useRef } from 'react'
import type { PlannedEvent, Properties } from 'trailmark'
import { useTrailmark } from './hooks'

interface ViewProps extends HTMLAttributes<HTMLDivElement> {
  /** Called once, when the element is first visible. */
  onView: () => void
  observerOptions?: IntersectionObserverInit | undefined
}

/** A `div` that tells when it is first seen. */
export const View = ({ onView, observerOptions, ...rest }: ViewProps): ReactElement => {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(onView)
  const isSeen = useRef(false)
  useEffect(() => {
    latest.current = onView
  })
  useEffect(() => {
    if (isSeen.current || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (isSeen.current || !entries.some(({ isIntersecting }) => isIntersecting)) return
        isSeen.current = true
        observer.disconnect()
        latest.current()
      },
      { threshold: 0.1, ...observerOptions },
    )
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return createElement('div', { ...rest, ref: element })
}

export interface CaptureOnViewProps extends HTMLAttributes<HTMLDivElement> {
  /** Name of the event. */
  event: PlannedEvent
  properties?: Properties
  /** What counts as visible. Default: a tenth of the element. */
  observerOptions?: IntersectionObserverInit
}

/** A `div` that captures an event once, when a visitor first sees it. */
export const CaptureOnView = ({ event, properties, ...rest }: CaptureOnViewProps): ReactElement => {
  const client = useTrailmark()
  return createElement(View, { ...rest, onView: () => client.capture(event, properties) })
}
