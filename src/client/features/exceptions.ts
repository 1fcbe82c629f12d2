import { isPlainObject, isToggle } from '../../lib/json'
import { patch } from '../../browser/patch'
import { listen } from '../../browser/signal'
import { typing } from '../../browser/typing'
import type { ExceptionReport, ReportException } from '../../host'
import { attempt } from '../../lib/guard'
import type { Properties, Stop } from '../../types'
import type { Feature } from '../feature'
import { EXCEPTION_METHODS } from './methods'

// Reports that wait for the extension. The page may throw in a loop meanwhile.
const MAX_WAITING = 100

/**
 * Captures exceptions. The extension describes them, and loads when it is first needed. Reports wait for it. Those that it
 * does not get, because the page is left or the page blocks it, are captured with name, message and stack as text.
 */
export const exceptions = {
  name: 'exceptions',
  methods: EXCEPTION_METHODS,
  options: {
    capture_exceptions: [undefined, 'boolean | object'],
    error_tracking: [{}, 'object'],
  },
  remote: {
    autocaptureExceptions: [isToggle, '$exception_capture_enabled_server_side'],
    errorTracking: [isPlainObject],
  },
  members: {
    capture_exceptions: {
      capture_unhandled_errors: 'boolean',
      capture_unhandled_rejections: 'boolean',
      capture_console_errors: 'boolean',
    },
    error_tracking: {
      exceptionRateLimiterBucketSize: 'number',
      exceptionRateLimiterRefillRate: 'number',
      captureExtensionExceptions: 'boolean',
      exception_steps: { enabled: 'boolean', max_bytes: 'number' },
    },
  },
  connect: ({ context: { config, remote, toProperties }, capture, configure, ledger, moment }) => {
    const waiting: ExceptionReport[] = []
    let receive: ReportException | undefined
    let load: Stop | undefined
    let alignExtension: Stop | undefined

    const isOn = () =>
      config.capture_exceptions ??
      remote.items.autocaptureExceptions ??
      remote.items.errorTracking?.autocaptureExceptions
    /** Passes waiting and later reports to `next`. */
    const use = (next: ReportException, align?: Stop) => {
      receive = next
      alignExtension = align
      waiting.splice(0).forEach((report) => next(...report))
    }
    const captureAsText: ReportException = (kind, value, properties, at, _, moment) =>
      kind === 'step'
        ? undefined
        : capture(
            '$exception',
            {
              $exception_list: [attempt(() => ({ value: String(value), stack: (value as Error).stack }))],
              // The page's object may throw when it is read.
              ...attempt(() => ({ ...(properties as Properties) })),
            },
            { timestamp: new Date(at) },
            moment,
          )
    const report = (kind: ExceptionReport[0], value: unknown, properties?: unknown) => {
      const each = [kind, value, properties, Date.now(), new Error()] as const
      if (receive) return receive(...each)
      if (waiting.length >= MAX_WAITING) return captureAsText(...each)
      waiting.push([...each, moment()])
      load?.()
      return undefined
    }
    const align = () => {
      // Without consent, nothing runs, and `capture` drops what is reported.
      if (!load) use(captureAsText)
      else if (isOn()) load()
      alignExtension?.()
    }
    remote.onChange(align)

    return {
      api: {
        captureException: (error, properties) => report('captured', error, properties),
        addExceptionStep: (message, properties) => void report('step', message, properties),
        startExceptionAutocapture: (wanted = true) => configure({ capture_exceptions: wanted }),
        stopExceptionAutocapture: () => configure({ capture_exceptions: false }),
      },
      runs: {
        wanted: () => true,
        start: (host) => {
          let stop: Stop | undefined
          receive = undefined
          load = () => {
            stop ??= host.startExtension(
              'exceptions',
              {
                use,
                toProperties,
                patch,
                typing,
                drop: (reason: 'noise') => ledger.dropped({ event: '$exception', reason }),
              },
              () => use(captureAsText),
            )
          }
          if (waiting.length) load()
          const stopLeaving = host.onLeave(() => receive || use(captureAsText))
          const stopListening = listen(
            self,
            ['error', 'unhandledrejection'],
            (event) => {
              const { type, error, reason } = event as Event & { error?: unknown; reason?: unknown }
              if (isOn()) report(type as 'error' | 'unhandledrejection', error ?? reason ?? event)
            },
            // Not in the capture phase, in which the window also receives errors of images and scripts that do not load.
            {},
          )
          return () => {
            load = undefined
            stop?.()
            stopLeaving()
            stopListening()
          }
        },
      },
      onAlign: align,
    }
  },
} satisfies Feature
