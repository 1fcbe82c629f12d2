import { record } from '@rrweb/record'
import type { eventWithTime } from '@rrweb/types'
import type { SessionRecordingConfig, Stop } from '../../types'
import type { Policy } from './sanitize/policy'

/** An element or text of the page by its id in rrweb's events. */
export const nodeOf = (id: number): Node | null => record.mirror.getNode(id)

const inRange = (value: unknown, fallback: number, max: number) => {
  const number = Number(value ?? fallback)
  return number > 0 ? Math.min(number, max) : fallback
}

interface RrwebInputs {
  options: SessionRecordingConfig
  policy: Policy
  emit(event: eventWithTime): void
  /** Sanitizes an event of a frame, which rrweb passes to the page around it. */
  sanitize(event: eventWithTime): eventWithTime | undefined
}

/** What a frame passes on instead of an event that it must not. The page around it drops it. */
const NOTHING = { type: 5, data: { tag: '', payload: {} } }

/**
 * Starts rrweb. Returns what stops it and frees its memory; undefined if it failed to start. Callbacks of the site are called by the sanitizer instead,
 * because rrweb would stop half-way when one throws. Its masks are a first net, under the sanitizer.
 */
export const startRrweb = ({ options, policy, emit, sanitize }: RrwebInputs): Stop | undefined => {
  const { sampling, captureCanvas, slimDOMOptions } = options
  const isFrame = policy.recordsFrames && window.parent !== window
  const { canvasFps, canvasQuality } = captureCanvas ?? {}
  const hasOwnMasks = policy.maskInputFn || !policy.masksInput('text')
  const stop = record({
    emit: (event) => emit(event as eventWithTime),
    blockClass: policy.blockClass,
    blockSelector: policy.blockSelector,
    ignoreClass: options.ignoreClass ?? 'ph-ignore-input',
    maskTextClass: policy.maskClass ?? 'ph-mask',
    maskTextSelector: policy.isStrict ? '*' : policy.maskTextFn ? undefined : policy.maskSelector,
    ...(hasOwnMasks ? { maskInputOptions: { password: true } } : { maskAllInputs: true }),
    inlineStylesheet: options.inlineStylesheet !== false,
    slimDOMOptions:
      slimDOMOptions === 'all'
        ? 'all'
        : {
            ...slimDOMOptions,
            script: true,
            comment: true,
            headMetaSocial: true,
            headMetaRobots: true,
            headMetaHttpEquiv: true,
            headMetaVerification: true,
            headMetaAuthorship: true,
            headMetaDescKeywords: true,
          },
    collectFonts: policy.recordsFonts,
    recordCrossOriginIframes: policy.recordsFrames,
    recordCanvas: policy.recordsCanvas,
    sampling: {
      ...(sampling?.mousemove === undefined ? {} : { mousemove: sampling.mousemove }),
      ...(sampling?.mouseInteraction === undefined ? {} : { mouseInteraction: sampling.mouseInteraction }),
      ...(policy.recordsCanvas ? { canvas: inRange(canvasFps, 4, 12) } : {}),
    },
    dataURLOptions: policy.recordsCanvas ? { type: 'image/webp', quality: inRange(canvasQuality, 0.4, 1) } : {},
    plugins: isFrame
      ? [
          {
            name: 'trailmark/frame@1',
            options: undefined,
            eventProcessor: (event) =>
              (sanitize(event as eventWithTime) ?? { ...NOTHING, timestamp: event.timestamp }) as never,
          },
        ]
      : [],
    // An error of rrweb must not reach the page.
    errorHandler: () => true,
  })
  if (!stop) {
    record.mirror.reset()
    return undefined
  }
  return () => {
    stop()
    // rrweb holds all nodes that it has seen until the next recording.
    record.mirror.reset()
  }
}

export const takeSnapshot = (): void => record.takeFullSnapshot(true)
export const freeze = (): void => record.freezePage()
/** Adds an event of the recorder's own. rrweb processes changes of the page that it has collected while frozen first. */
export const addCustomEvent = (tag: string, payload: object = {}): void => record.addCustomEvent(tag, payload)
