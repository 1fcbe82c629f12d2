import type { ExceptionParts, ExceptionReport, ReportException } from '../../host'
import type { DropReason, ExceptionAutocapture, Properties, Stop } from '../../types'
import type { Extension } from '../contract'
import { hideTyped } from '../hideTyped'
import { createChunkIds } from './chunkIds'
import { attempt, describe, isError } from './describe'
import { exceptionList, type ExceptionItem } from './exceptionList'
import { framesOf } from './frames'
import { createIsOwn, isNoise, isOfExtension, isOwn, isSuppressed } from './noise'
import { createRateLimit } from './rateLimit'
import { createSteps } from './steps'

// V8 keeps 10 frames by default.
const STACK_FRAMES = 50
// An exception that waited longer than this for the code keeps its own time.
const LATE_MS = 100
// The first argument of the SDK's own console output.
const OWN_LOG = '[trailmark]'

/** The option that turns a kind of report on. Kinds without one are calls. */
const OPTION_OF: Partial<Record<ExceptionReport[0], keyof ExceptionAutocapture>> = {
  error: 'capture_unhandled_errors',
  unhandledrejection: 'capture_unhandled_rejections',
  console: 'capture_console_errors',
}

/** Returns what `console.error` logged: its first error, or its arguments as text. */
const loggedValue = (args: readonly unknown[]): unknown =>
  args.find(isError) ?? args.map((each) => attempt(() => String(each)) ?? '').join(' ')

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
  const { config, remote, use, drop, patch, toProperties, typing } = host
  const options = () => config.error_tracking
  const hasTokens = createRateLimit(options)
  const steps = createSteps(options, toProperties)
  const chunkIds = createChunkIds()
  const ofSdk = createIsOwn(framesOf(new Error().stack ?? '', '', {}).pop()?.filename)
  // Set while an exception is captured. What the site's hooks throw or log meanwhile is ignored, or it would go on forever.
  let isCapturing = false
  let stopConsole: Stop | undefined

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

  const captureReport: ReportException = (kind, reported, properties, at, trace, moment) => {
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
      Date.now() - at > LATE_MS ? { timestamp: new Date(at) } : undefined,
      moment,
    )
    if (event) steps.clear()
    return event
  }
  const receive: ReportException = (...report) => {
    const [kind, value, properties, at] = report
    if (kind === 'step') {
      steps.add(value, properties, at)
      return undefined
    }
    const option = OPTION_OF[kind]
    if (isCapturing || (option && !wants(option))) return undefined
    isCapturing = true
    try {
      return captureReport(...report)
    } finally {
      isCapturing = false
    }
  }
  /** Watches the console while console errors are captured. */
  const align = () => {
    const isWanted = wants('capture_console_errors')
    if (isWanted && !stopConsole)
      stopConsole = patch(console, 'error', (...args) => {
        if (args[0] !== OWN_LOG) receive('console', args, undefined, Date.now(), new Error())
      })
    if (!isWanted) stopConsole = void stopConsole?.()
  }

  const { stackTraceLimit } = Error as { stackTraceLimit?: number }
  const isRaised = stackTraceLimit! < STACK_FRAMES
  if (isRaised) Error.stackTraceLimit = STACK_FRAMES
  align()
  use(receive, align)
  const stopTyping = typing.follow()
  return () => {
    stopTyping()
    stopConsole?.()
    if (isRaised && Error.stackTraceLimit === STACK_FRAMES) Error.stackTraceLimit = stackTraceLimit!
  }
}
