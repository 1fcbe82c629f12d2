import { element } from './dom'

/** An entry of the menu. */
export interface MenuItem {
  readonly label: string
  readonly onChoose: () => void
}

/** Creates a menu that opens below its button. */
export const createMenu = (): {
  readonly root: HTMLDetailsElement
  show(label: string, items: readonly MenuItem[]): void
} => {
  const list = element('div', { class: 'menu', part: 'menu' })
  const summary = element('summary', { part: 'menu-button' }, '⋯')
  const close = (event: Event) => {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return
    root.open = false
    if (event instanceof KeyboardEvent) summary.focus()
  }
  const root: HTMLDetailsElement = element(
    'details',
    {
      keydown: close,
      focusout: (event: FocusEvent) => {
        // Safari does not focus the button that was clicked.
        if (event.relatedTarget && !root.contains(event.relatedTarget as Node)) close(event)
      },
    },
    summary,
    list,
  )
  return {
    root,
    show(label, items) {
      summary.setAttribute('aria-label', label)
      const buttons = items.map(({ label: text, onChoose }) =>
        element(
          'button',
          {
            type: 'button',
            click: (event: Event) => {
              close(event)
              onChoose()
            },
          },
          text,
        ),
      )
      list.replaceChildren(...buttons)
    },
  }
}
