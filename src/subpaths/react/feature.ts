import { createElement, Fragment, type HTMLAttributes, type ReactElement, type ReactNode, useRef } from 'react'
import type { PlannedFlag, PlannedPayload, PlannedValue } from 'trailmark'
import { View } from './captureOnView'
import { useFeatureFlagPayload, useFeatureFlagVariantKey } from './flags'
import { useTrailmark } from './hooks'

export interface TrailmarkFeatureProps<K extends PlannedFlag = PlannedFlag> extends Omit<
  HTMLAttributes<HTMLDivElement>,
  'children'
> {
  /** Key of the flag. */
  flag: K
  /** Value of the flag that shows the children. Default: any value except false. */
  match?: PlannedValue<K>
  /** Shown otherwise, and while the flag has no value. */
  fallback?: ReactNode
  /** Captures `$feature_view` when the children are first seen. Default: true. */
  trackView?: boolean
  /** Captures `$feature_interaction` at the first click on them. Default: true. */
  trackInteraction?: boolean
  /** A function receives the flag's payload. */
  children?: ReactNode | ((payload: PlannedPayload<K>) => ReactNode)
}

/** Shows its children, in a `div`, to visitors for whom a flag is on or has a certain value. */
export const TrailmarkFeature = <K extends PlannedFlag>({
  flag,
  match,
  fallback,
  trackView = true,
  trackInteraction = true,
  children,
  ...rest
}: TrailmarkFeatureProps<K>): ReactElement => {
  const client = useTrailmark()
  const value = useFeatureFlagVariantKey(flag)
  const payload = useFeatureFlagPayload(flag)
  const isUsed = useRef(false)
  const isShown = match === undefined ? value : value === match
  if (!isShown) return createElement(Fragment, null, fallback)
  const capture = (event: string) =>
    client.capture(
      event,
      { feature_flag: flag, ...(typeof value === 'string' && { feature_flag_variant: value }) },
      { $set: { [`${event}/${flag}`]: value } },
    )
  return createElement(
    View,
    {
      ...rest,
      onView: () => trackView && capture('$feature_view'),
      onClickCapture: () => {
        if (trackInteraction && !isUsed.current) capture('$feature_interaction')
        isUsed.current = true
      },
    },
    typeof children === 'function' ? children(payload) : children,
  )
}
