import { attempt } from '../page'
import type { RecorderParts } from '../../../host'
import type { SessionRecordingConfig } from '../../../types'
import { hideTyped } from '../../hideTyped'
import { hideBeginnings, type Redact } from './urls'

/** Masking settings of the project, in remote configuration. */
export interface RemoteMasking {
  /** Whether everything is masked, because the settings are malformed. */
  isStrict?: boolean
  maskAllInputs?: unknown
  maskTextSelector?: unknown
  blockSelector?: unknown
  maskAllElementAttributes?: unknown
}

interface RemotePolicy {
  masking?: RemoteMasking
  recordCanvas?: boolean
}

/** Rules for the content of a recording. */
export interface Policy {
  /** Masks all text and attributes, and shows media as boxes. */
  isStrict: boolean
  /** Masks attributes that do not affect the layout. */
  masksAttributes: boolean
  /** Whether inputs of this type (`text`, `select`, …) are masked. */
  masksInput(type: string): boolean
  /** Whether inputs of all types, and editors, are masked. */
  masksAllInputs: boolean
  /** Elements whose text is masked; undefined: none. */
  maskSelector?: string
  /** Elements that are recorded as boxes. */
  blockSelector: string
  /** Whether the sanitizer finds blocked elements, because rrweb has not. */
  findsBlocked?: boolean
  maskClass?: RegExp
  blockClass?: RegExp
  /**
   * Removes secrets and parts that options exclude from URLs that are not masked. Keeps hashes, which name parts of a
   * resource.
   */
  redact: Redact
  /** Same as `redact`, for links and media. Options may exclude their hashes. */
  redactLink: Redact
  /** Names of fields whose values are never recorded. */
  sensitiveName: RegExp
  /** Whether contents of frames of the page's origin are recorded. */
  recordsSameOriginFrames: boolean
  recordsCanvas: boolean
  recordsFonts: boolean
  /** The fields that a person typed into, which are masked as a whole; undefined if the site decides what is shown of them. */
  typedFields?: Set<Node>
  /** Returns a string without what a person typed, unless inputs are not masked. */
  hideTyped(text: string): string
  /** Returns a URL without it, and without its beginning. */
  hideTypedInUrl(url: string): string
  /** Returns a header or body of a request without it, and without its beginning. */
  hideTypedInRequest(text: string): string
  /** What was typed is read once for each event. This makes the next event read it again. */
  forgetTyped(): void
  /** Returns what was typed, as one text. */
  typedKey(): string
  /** Returns a function that hides what was typed until now. */
  hiderNow(): (text: string) => string
  maskTextFn?: SessionRecordingConfig['maskTextFn']
  maskInputFn?: SessionRecordingConfig['maskInputFn']
  maskAttributeFn?: SessionRecordingConfig['maskAttributeFn']
}

const FRAMES = 'frame,object,embed,portal,fencedframe'
const MEDIA = 'img,picture,video,audio,canvas,input[type="image" i]'
// Editors, the ARIA counterparts of fields, and code editors that draw the text of a hidden field, as autocapture has them.
const EDITORS =
  'output,[contenteditable]:not([contenteditable=false i]),.CodeMirror,.monaco-editor,.ace_editor,' +
  ['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider'].map((role) => `[role~=${role} i]`).join()

/**
 * Returns a selector of frames that are recorded as boxes. A cross-origin frame is known by its URL; any other frame
 * may be same-origin.
 */
const boxedFrames = (sameOrigin: boolean, otherOrigins: boolean): string | [] => {
  const { origin, host } = location
  if (otherOrigins)
    return sameOrigin
      ? []
      : `iframe[srcdoc],iframe:not([src^="http" i]):not([src^="//"]),iframe[src^="${origin}" i],iframe[src^="//${host}" i]`
  return sameOrigin ? [] : 'iframe'
}

const isSelector = (selector: unknown): selector is string =>
  typeof selector === 'string' &&
  attempt(() => {
    document.createDocumentFragment().querySelector(selector)
    return true
  }) === true

const isFunction = (value: unknown) => value === undefined || value === null || typeof value === 'function'

// Not a class selector, whose escapes need a function that browsers of unit tests lack.
const classSelector = (name: unknown) => (typeof name === 'string' && name ? `[class~=${JSON.stringify(name)}]` : [])

const valueOf = (field: Node) => String((field as HTMLInputElement).value ?? field.textContent)

/**
 * Returns the policy of the site's options and the project's settings, which can only be stricter. Returns a message if any of them
 * is invalid, because a selector that matches nothing would mask nothing.
 */
export const createPolicy = (
  local: SessionRecordingConfig,
  { masking: remote = {}, recordCanvas }: RemotePolicy,
  { outgoingText, sensitiveName, typing }: Pick<RecorderParts, 'outgoingText' | 'sensitiveName' | 'typing'>,
): Policy | string => {
  const { maskTextClass = 'ph-mask', blockClass = 'ph-no-capture' } = local
  const settings = { maskTextClass, blockClass }
  for (const [name, value] of Object.entries(settings))
    if (!(value instanceof RegExp) && !(typeof value === 'string' && /^\S+$/.test(value)))
      return `session_recording.${name} expects a class or a regular expression`
  for (const name of ['maskTextSelector', 'blockSelector'] as const)
    for (const [where, value] of [
      ['session_recording', local[name]],
      ["the project's sessionRecording.masking", remote[name]],
    ] as const)
      if (value !== undefined && value !== null && value !== '' && !isSelector(value))
        return `${where}.${name} expects a CSS selector, got ${JSON.stringify(value)}`
  for (const name of ['maskTextFn', 'maskInputFn', 'maskAttributeFn', 'maskCapturedNetworkRequestFn'] as const)
    if (!isFunction(local[name])) return `session_recording.${name} expects a function`
  if (!['strict', 'default', undefined].includes(local.masking))
    return `session_recording.masking expects 'strict' or 'default'`

  const isStrict = local.masking === 'strict' || remote.isStrict === true
  const masksAllInputs = isStrict || local.maskAllInputs !== false || remote.maskAllInputs === true
  const recordsSameOriginFrames = !isStrict && local.recordSameOriginIframes === true
  const recordsCanvas = !isStrict && local.captureCanvas?.recordCanvas === true && recordCanvas !== false
  let typed: readonly string[] | undefined
  const typedNow = () => (masksAllInputs ? (typed ??= typing.texts()) : [])
  const typedHidden = (text: string) => (masksAllInputs ? hideTyped(text, typedNow(), typing) : text)
  const begunHidden = (text: string, isUrl: boolean) =>
    masksAllInputs ? hideBeginnings(typedHidden(text), [...typing.fields].map(valueOf), isUrl) : text
  const join = (...selectors: unknown[]) => selectors.flat().filter(Boolean).join()
  return {
    isStrict,
    masksAttributes: isStrict || local.maskAllElementAttributes === true || remote.maskAllElementAttributes === true,
    masksInput: (type) => masksAllInputs || local.maskInputOptions?.[type] === true,
    masksAllInputs,
    maskSelector:
      join(
        classSelector(maskTextClass),
        '.ph-sensitive',
        local.maskTextSelector,
        remote.maskTextSelector,
        masksAllInputs ? EDITORS : [],
      ) || undefined,
    blockSelector: join(
      classSelector(blockClass),
      '.toolbar-global-fade-container',
      local.blockSelector,
      remote.blockSelector,
      FRAMES,
      boxedFrames(recordsSameOriginFrames, !isStrict && !!local.recordCrossOriginIframes),
      isStrict ? MEDIA : [],
    ),
    maskClass: maskTextClass instanceof RegExp ? maskTextClass : undefined,
    blockClass: blockClass instanceof RegExp ? blockClass : undefined,
    redact: (url) => outgoingText(url, true),
    // A link is a URL even without a slash, by which text shows that it is one.
    redactLink: (url) => outgoingText(`/${url}`).slice(1),
    sensitiveName,
    typedFields: masksAllInputs && (isStrict || !local.maskInputFn) ? typing.fields : undefined,
    hideTyped: typedHidden,
    hideTypedInUrl: (url) => begunHidden(url, true),
    hideTypedInRequest: (text) => begunHidden(text, false),
    forgetTyped: () => (typed = undefined),
    typedKey: () => typedNow().join('\n'),
    hiderNow: () => {
      const now = typedNow()
      return (text) => hideTyped(text, now, typing)
    },
    recordsSameOriginFrames,
    recordsCanvas,
    recordsFonts: !isStrict && local.collectFonts === true,
    maskTextFn: isStrict ? undefined : local.maskTextFn,
    maskInputFn: isStrict ? undefined : local.maskInputFn,
    maskAttributeFn: local.maskAttributeFn,
  }
}
