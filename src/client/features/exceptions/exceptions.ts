import { isPlainObject, isToggle } from '../../../lib/json'
import { patch } from '../../../browser/patch'
import { listen } from '../../../browser/signal'
import { typing } from '../../../browser/typing'
import { attempt } from '../../../lib/guard'
import type { Properties, Stop } from '../../../types'
import type { Feature } from '../../feature'
import { lateCalls, linkTo } from '../../late'
import { EXCEPTION_METHODS } from './methods'

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
  connect: (client) => {
    const { calls, capture, configure } = client
    const { config, remote, toProperties } = client.context
    let load: Stop | undefined
    let isBlocked = false
    let isLeaving = false

    const isOn = () =>
      config.capture_exceptions ??
      remote.items.autocaptureExceptions ??
      remote.items.errorTracking?.autocaptureExceptions
    const align = () => {
      if (isOn()) load?.()
    }
    remote.onChange(align)

    return {
      onMissing: lateCalls(client, {
        // Without consent, nothing runs, and `capture` drops what is reported.
        absence: () => (load && !isBlocked && !isLeaving ? undefined : 'not running'),
        onWait: () => load!(),
        answer: (path, [value, properties]) =>
          path === 'addExceptionStep'
            ? undefined
            : capture(
                '$exception',
                {
                  $exception_list: [attempt(() => ({ value: String(value), stack: (value as Error).stack }))],
                  // The page's object may throw when it is read.
                  ...attempt(() => ({ ...(properties as Properties) })),
                },
                { timestamp: calls.early()?.at ?? new Date() },
              ),
      }),
      api: {
        startExceptionAutocapture: (wanted = true) => configure({ capture_exceptions: wanted }),
        stopExceptionAutocapture: () => configure({ capture_exceptions: false }),
      },
      runs: {
        wanted: () => true,
        start: (host) => {
          let stop: Stop | undefined
          isBlocked = false
          load = () => {
            stop ??= host.startExtension('exceptions', { link: linkTo(client), toProperties, patch, typing }, () => {
              isBlocked = true
              calls.replay()
            })
          }
          const stops = [
            host.onLeave(() => {
              isLeaving = true
              calls.replay()
              isLeaving = false
            }),
            listen(
              self,
              ['error', 'unhandledrejection'],
              (event) => {
                const { error, reason } = event as Event & { error?: unknown; reason?: unknown }
                if (isOn()) client.call('captureException', [error ?? reason ?? event, undefined, event])
              },
              // Not in the capture phase: there, the window also receives load errors of images and scripts.
              {},
            ),
          ]
          return () => {
            load = undefined
            calls.replay()
            stop?.()
            stops.forEach((each) => each())
          }
        },
      },
      onAlign: align,
    }
  },
} satisfies Feature
