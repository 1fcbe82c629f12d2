// Distances from the edges of the window, px.
const EDGE = 30
const NARROW_EDGE = 8
const TAB_EDGE = 60
// For a popover next to the control that opened it, px: distance from the control, distance from the edges of the window,
// and the least height below the control. With less, the popover is above it.
const GAP = 12
const TRIGGER_EDGE = 20
const MIN_BELOW = 250

/** Where a popover goes if it would hide what has the focus. */
const CORNERS = ['right', 'left', 'top_right', 'top_left']

/** Whether two elements overlap on the screen. */
const overlaps = (one: Element, other: Element): boolean => {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

type Position = Record<string, string>

const px = (value: number) => `${Math.round(value)}px`

/** Returns where a popover is below its trigger, or above if there is too little room. */
const nextTo = (trigger: DOMRect, width: number): Position => {
  const middle = trigger.left + trigger.width / 2 - width / 2
  const left = Math.max(TRIGGER_EDGE, Math.min(middle, innerWidth - width - TRIGGER_EDGE))
  return innerHeight - trigger.bottom < MIN_BELOW
    ? { left: px(left), bottom: px(innerHeight - trigger.top + GAP) }
    : { left: px(left), top: px(trigger.bottom + GAP) }
}

/**
 * Returns where a popover is, as CSS properties. `position`: `left`, `center` or `right` at the bottom, with `top_` or
 * `middle_` before it elsewhere, or `next_to_trigger`. `isTab`: a tab at the edge opened it. Left and right are those of
 * languages written from the left.
 */
const placeOf = (position: string, box: Element, trigger: Element | undefined, isTab: boolean): Position => {
  const { width } = box.getBoundingClientRect()
  if (position === 'next_to_trigger' && trigger) return nextTo(trigger.getBoundingClientRect(), width)
  const edge = px(innerWidth < width + 4 * EDGE ? NARROW_EDGE : isTab ? TAB_EDGE : EDGE)
  const [first, second] = position.split('_') as [string, string?]
  const [block, inline] = second ? [first, second] : ['bottom', first]
  const isMiddle = block === 'middle'
  const isCenter = inline === 'center'
  return {
    ...(isMiddle ? { top: '50%' } : { [block === 'top' ? 'top' : 'bottom']: edge }),
    ...(isCenter ? { left: '50%' } : { [inline === 'left' ? 'inset-inline-start' : 'inset-inline-end']: edge }),
    transform: `translate(${isCenter ? '-50%' : '0'},${isMiddle ? '-50%' : '0'})`,
  }
}

/** Places a popover where it is configured to be, or in another corner if it would hide `focused`, an element of the page. */
export const placeBox = (
  box: HTMLElement,
  position: string,
  trigger: Element | undefined,
  isTab: boolean,
  focused: Element | undefined,
): void => {
  const placeAt = (each: string) => {
    for (const name of ['top', 'bottom', 'left', 'inset-inline-start', 'inset-inline-end', 'transform'])
      box.style.removeProperty(name)
    for (const [name, value] of Object.entries(placeOf(each, box, trigger, isTab))) box.style.setProperty(name, value)
    // A keyboard on the screen covers the lower part of the window.
    const covered = window.visualViewport ? innerHeight - visualViewport!.height - visualViewport!.offsetTop : 0
    if (covered > 0 && box.style.bottom) box.style.bottom = px(covered + 8)
    return !focused || !overlaps(box, focused)
  }
  if (![position, ...CORNERS].some(placeAt)) placeAt(position)
}
