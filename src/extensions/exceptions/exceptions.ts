import type { ExceptionParts } from '../../host'
import type { CapturedEvent, DropReason, ExceptionAutocapture, Properties, Stop } from '../../types'
import type { Extension } from '../contract'
import { hideTyped } from '../hideTyped'
import { createChunkIds } from './chunkIds'
import { describe, isError, type Kind, textOfAny } from './describe'
import { exceptionList, type ExceptionItem } from './exceptionList'
import { framesOf } from './frames'
import { createIsOwn, isNoise, isOfExtension, isOwn, isSuppressed } from './noise'
import { watchOnError } from './onError'
import { createRateLimit } from './rateLimit'
import { createSteps } from './steps'

// V8 keeps 10 frames by default.
const STACK_FRAMES = 50
// An exception that waited longer than this for the code keeps its own time.
const LATE_MS = 100
// The first argument of the SDK's own console output.
const OWN_LOG = '[trailmark]'

/** The option that turns a kind of report on. Calls need none. */
const OPTION_OF: Partial<Record<Kind, keyof ExceptionAutocapture>> = {
  error: 'capture_unhandled_errors',
  unhandledrejection: 'capture_unhandled_rejections',
  console: 'capture_console_errors',
}

/** Returns what `console.error` logged: its first error, its only argument, or its arguments as text. */
const loggedValue = (args: readonly unknown[]): unknown =>
  args.length === 1 ? args[0] : (args.find(isError) ?? args.map(textOfAny).join(' '))

/** Returns the release that a vendor's build tool has set. A site can set it itself as a property of all events. */
const releaseId = (): string | undefined => {
  const { _posthogReleaseId: release } = self as { _posthogReleaseId?: unknown }
  return typeof release === 'string' && release ? release : undefined
}

/** The project's settings in the remote configuration. */
interface ErrorTracking {
  autocaptureExceptions?: boolean | ExceptionAutocapture
  suppressionRules?: unknown
  captureExtensionExceptions?: boolean
}

/** Describes exceptions and captures them as `$exception`, except for noise, suppressed ones and floods. */
export const start: Extension<ExceptionParts>['start'] = (host) => {
  const { config, remote, patch, toProperties, typing } = host
  const drop = (reason: DropReason) => host.ledger.dropped({ event: '$exception', reason })
  const options = () => config.error_tracking
  const hasTokens = createRateLimit(options)
  const steps = createSteps(options, toProperties)
  const chunkIds = createChunkIds()
  const ofSdk = createIsOwn(framesOf(new Error().stack ?? '', '', {}).pop()?.filename)
  // Set while an exception is captured. What the site's hooks throw or log meanwhile is ignored, or it would go on forever.
  let isCapturing = false
  const stops: Partial<Record<keyof ExceptionAutocapture, Stop | undefined>> = {}

  const projectSettings = () => (remote.items.errorTracking ?? {}) as ErrorTracking
  const wants = (name: keyof ExceptionAutocapture) => {
    const wanted =
      config.capture_exceptions ??
      (remote.items.autocaptureExceptions as ExceptionAutocapture | undefined) ??
      projectSettings().autocaptureExceptions
    return !!wanted && ((wanted as ExceptionAutocapture)[name] ?? name !== 'capture_console_errors')
  }

  const dropReason = (items: ExceptionItem[], isHandled: boolean): DropReason | undefined => {
    const { suppressionRules, captureExtensionExceptions } = projectSettings()
    if (isSuppressed(suppressionRules, items)) return 'suppressed'
    const isOfOthers = isOfExtension(items) && !(options().captureExtensionExceptions ?? captureExtensionExceptions)
    if (isOfOthers || isOwn(items, ofSdk)) return 'noise'
    return !isHandled && isNoise(items as [ExceptionItem]) ? 'noise' : undefined
  }

  const captureReport = (kind: Kind, reported: unknown, properties: unknown): CapturedEvent | undefined => {
    const { at = new Date(), trace = new Error() } = host.early() ?? {}
    const value = kind === 'console' ? loggedValue(reported as unknown[]) : reported
    const thrown = describe(value, kind, trace)
    const isHandled = kind === 'captured'
    // First, because a page may throw thousands of times a second.
    if (!isHandled && !hasTokens(thrown.type)) {
      drop('rate_limited')
      return undefined
    }
    const typed = typing.texts()
    const items = exceptionList(kind, value, thrown, chunkIds(), (text) => hideTyped(text, typed, typing))
    // Removes the SDK's own frames from a synthetic stack.
    const frames = items[0]!.stacktrace?.frames ?? []
    while (items[0]!.mechanism.synthetic && frames.length && ofSdk(frames[frames.length - 1]!.filename)) frames.pop()
    const reason = dropReason(items, isHandled)
    if (reason) {
      drop(reason)
      return undefined
    }
    const waiting = steps.all()
    const event = host.capture(
      '$exception',
      {
        $exception_list: items,
        $exception_level: 'error',
        ...(waiting.length ? { $exception_steps: waiting } : {}),
        $release_id: releaseId(),
        ...(properties as Properties | undefined),
      },
      Date.now() - +at > LATE_MS ? { timestamp: at } : undefined,
    )
    if (event) steps.clear()
    return event
  }
  const receive = (kind: Kind, value: unknown, properties?: unknown): CapturedEvent | undefined => {
    const option = OPTION_OF[kind]
    if (isCapturing || (option && !wants(option))) return undefined
    isCapturing = true
    try {
      return captureReport(kind, value, properties)
    } finally {
      isCapturing = false
    }
  }
  const watches: [keyof ExceptionAutocapture, () => Stop][] = [
    [
      'capture_console_errors',
      () =>
        patch(console, 'error', (...args) => {
          if (args[0] !== OWN_LOG) void receive('console', args)
        }),
    ],
    ['capture_unhandled_errors', () => watchOnError(patch, (error) => void receive('error', error))],
  ]
  /** Watches what the page calls, while the option of it is on. */
  const align = () => {
    for (const [option, watch] of watches)
      if (!wants(option)) stops[option] = void stops[option]?.()
      else stops[option] ??= watch()
  }

  const { stackTraceLimit } = Error as { stackTraceLimit?: number }
  const isRaised = stackTraceLimit! < STACK_FRAMES
  if (isRaised) Error.stackTraceLimit = STACK_FRAMES
  align()
  const stopTyping = typing.follow()
  const unlink = host.link({
    api: {
      // `event`: what the window has received, where the page did not call.
      captureException: (error: unknown, properties: unknown, event?: unknown) =>
        receive(event instanceof Event ? (event.type as Kind) : 'captured', error, properties),
      addExceptionStep: (message: unknown, properties: unknown) =>
        steps.add(message, properties, +(host.early()?.at ?? Date.now())),
    },
    onAlign: align,
  })
  return () => {
    unlink()
    stopTyping()
    for (const stop of Object.values(stops)) stop?.()
    if (isRaised && Error.stackTraceLimit === STACK_FRAMES) Error.stackTraceLimit = stackTraceLimit!
  }
}
