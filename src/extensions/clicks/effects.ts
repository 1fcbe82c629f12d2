import type { Happening } from '../../host'

/** `response`: the page did something that shows in no element. `departure`: another document was asked for. */
export type EffectKind =
  'mutation' | 'scroll' | 'selection_changed' | 'visibility_changed' | 'focus_changed' | 'response' | 'departure'

const KINDS: Record<string, EffectKind> = {
  mutation: 'mutation',
  scroll: 'scroll',
  selectionchange: 'selection_changed',
  visibilitychange: 'visibility_changed',
  focus: 'focus_changed',
  blur: 'focus_changed',
  navigate: 'departure',
}

/** By what a person scrolls and marks text. */
export const INPUT = ['wheel', 'touchmove', 'keydown', 'pointerdown']

// Code and hints for the network: what nobody sees.
const UNSEEN = 'script, link[rel*=pre]'
const TEXT_FIELD =
  'textarea, [contenteditable], input:not([type=button]):not([type=submit]):not([type=reset]):not([type=image]):not([type=checkbox]):not([type=radio])'

const isSeen = ({ type, target, addedNodes, removedNodes }: MutationRecord) =>
  (type === 'childList' ? [...addedNodes, ...removedNodes] : [target]).some(
    (node) => !(node instanceof Element && node.matches(UNSEEN)),
  )

// What a person does next is no effect of a click.
const isNoEffect = () => false

/** What has to be true of a happening of this type for it to be an effect. */
const CONDITIONS: Record<string, (happening: Happening) => boolean> = {
  click: isNoEffect,
  ...Object.fromEntries(INPUT.map((type) => [type, isNoEffect])),
  mutation: ({ records }) => records!.some(isSeen),
  // Every click into text moves a caret that shows only where a person can write.
  selectionchange: () => getSelection()?.isCollapsed === false,
  // A button takes the focus whatever it does (PostHog/posthog-js#4503); a field that gets it was opened for writing.
  focusin: ({ target }) => target instanceof Element && target.matches(TEXT_FIELD),
}

/** What a happening is as an effect of the clicks before it; undefined, if none. A request is none: nobody sees it. */
export const effectOf = (happening: Happening): EffectKind | undefined =>
  (CONDITIONS[happening.type]?.(happening) ?? true) ? (KINDS[happening.type] ?? 'response') : undefined
