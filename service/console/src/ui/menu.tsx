import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/**
 * A button that opens a list of choices or links. Escape, a click elsewhere and a choice close it; the arrow keys move
 * between the choices. `children` gets the function that closes the menu.
 */
export const Menu = ({
  label,
  button,
  buttonClass = 'button',
  fromLeft = false,
  children,
}: {
  /** Name of the button. Absent: its text is the name. */
  readonly label?: string
  readonly button: ComponentChildren
  readonly buttonClass?: string
  readonly fromLeft?: boolean
  readonly children: (close: () => void) => ComponentChildren
}) => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const close = () => {
    setOpen(false)
    root.current?.querySelector('button')?.focus()
  }

  useEffect(() => {
    if (!isOpen) return
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', onPointerDown)
    root.current?.querySelector<HTMLElement>('.menu-list :is(button, a, input)')?.focus()
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [isOpen])

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      return close()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const items = [...root.current!.querySelectorAll<HTMLElement>('.menu-list :is(button, a)')]
    const index = items.indexOf(document.activeElement as HTMLElement)
    event.preventDefault()
    items[(index + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length]?.focus()
  }
  const onFocusOut = (event: FocusEvent) => {
    if (event.relatedTarget && !root.current?.contains(event.relatedTarget as Node)) setOpen(false)
  }

  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      <button
        type="button"
        class={buttonClass}
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && <div class={fromLeft ? 'menu-list from-left' : 'menu-list'}>{children(close)}</div>}
    </div>
  )
}
