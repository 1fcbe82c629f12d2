import { record } from '@rrweb/record'
import type { eventWithTime } from '@rrweb/types'
import type { SessionRecordingConfig, Stop } from '../../types'
import { createDraft } from './draft'
import type { DraftInputs, DraftTools } from './draftEntry'
import type { Policy } from './sanitize/policy'

/** Returns the id of an element or text in rrweb's events; -1 if it is not recorded. */
export const idOf = (node: Node): number => record.mirror.getId(node)
/** Returns the element or text of an id. */
export const nodeOf = (id: number): Node | null => record.mirror.getNode(id)

interface RrwebInputs {
  /** Called with each error of rrweb, which must not reach the page. What it was about is not recorded. */
  onError(): void
  options: SessionRecordingConfig
  policy: Policy
  emit(event: eventWithTime): void
  sanitize: DraftTools['sanitize']
  /** Called when a full snapshot has failed. */
  onFailure(error: unknown): void
}

/**
 * Returns rrweb's options. The sanitizer calls the site's callbacks, because rrweb would stop half-way when one throws. rrweb masks
 * first, and the sanitizer masks again.
 */
export const rrwebOptions = (options: SessionRecordingConfig, policy: Policy) => {
  const { sampling, slimDOMOptions } = options
  // The sanitizer masks by type and by function, which needs the values.
  const hasOwnMasks = policy.maskInputFn || !policy.masksAllInputs
  return {
    blockClass: policy.blockClass,
    blockSelector: policy.blockSelector,
    ignoreClass: options.ignoreClass ?? 'ph-ignore-input',
    maskTextSelector: policy.isStrict ? '*' : policy.maskTextFn ? undefined : policy.maskSelector,
    ...(hasOwnMasks ? { maskInputOptions: { password: true } } : { maskAllInputs: true }),
    inlineStylesheet: options.inlineStylesheet !== false,
    slimDOMOptions:
      slimDOMOptions === 'all'
        ? ('all' as const)
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
    sampling: {
      ...(sampling?.mousemove === undefined ? {} : { mousemove: sampling.mousemove }),
      ...(sampling?.mouseInteraction === undefined ? {} : { mouseInteraction: sampling.mouseInteraction }),
    },
  }
}

/** Starts rrweb. Returns a function that stops it and frees its memory; undefined if it failed to start. */
export const startRrweb = ({ options, policy, emit, sanitize, onError, onFailure }: RrwebInputs): Stop | undefined => {
  const stop = record({
    ...rrwebOptions(options, policy),
    emit: (event) => emit(event as eventWithTime),
    errorHandler: () => {
      onError()
      return true
    },
    // An option of ours (rrweb.patch).
    ...{ createDraft: (inputs: DraftInputs) => createDraft({ ...inputs, policy, sanitize, onFailure }) },
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
/** Adds a recorder event. First, rrweb processes the DOM changes that it has collected while frozen. */
export const addCustomEvent = (tag: string, payload: object = {}): void => record.addCustomEvent(tag, payload)
