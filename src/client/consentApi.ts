import type { Client, Connection } from './feature'

/** Connects the methods that record the visitor's decision. */
export const connectConsent = ({ context, delivery, capture, api, emit, align }: Client): Connection => {
  const { config, log, consent, isCookieless, isOptedOut } = context
  const decide = (granted: boolean | undefined) => {
    const wasOut = isOptedOut()
    if (config.cookieless_mode === 'always') log.warn("consent does nothing with cookieless_mode: 'always'")
    else consent.decide(granted)
    // Other tabs are notified of consent after the ids are stored, and of a denial before they are removed.
    if (granted) align()
    consent.keep()
    align()
    if (wasOut && !isOptedOut()) emit((each) => each.onOptIn?.())
  }
  return {
    api: {
      opt_in_capturing: ({ captureEventName = '$opt_in', captureProperties } = {}) => {
        const isChange = consent.explicit() !== 'granted'
        // A visitor who had no id gets a new one.
        if (isCookieless() && config.cookieless_mode === 'on_reject') api().reset?.(true)
        decide(true)
        if (captureEventName && isChange) capture(captureEventName, captureProperties, { send_instantly: true })
      },
      opt_out_capturing: () => {
        // Events captured before are not sent after the visitor opted out.
        delivery.queue.clear('opted_out')
        emit((each) => each.onDenial?.())
        decide(false)
      },
      clear_opt_in_out_capturing: () => decide(undefined),
    },
  }
}
