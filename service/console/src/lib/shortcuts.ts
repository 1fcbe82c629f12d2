import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { readStored, writeStored } from './stored.ts'

export interface Shortcut {
  /** `KeyboardEvent.key`, such as `d` or `ArrowLeft`. */
  readonly key: string
  readonly about: string
  readonly run: () => void
}

/** Whether single keys act. A person can switch them off (WCAG 2.1.4). */
export const areShortcutsOn = signal(readStored<boolean>('shortcuts') ?? true)

export const setShortcutsOn = (isOn: boolean): void => {
  areShortcutsOn.value = isOn
  writeStored('shortcuts', isOn)
}

/** Shortcuts of what is shown, for the list that `?` opens. */
export const shortcuts = signal<readonly Shortcut[]>([])

const TAKES_KEYS = 'input, textarea, select, [contenteditable], dialog, [role="tablist"], [role="img"], .cm-editor'

const onKeyDown = (event: KeyboardEvent) => {
  const target = event.composedPath()[0]
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented
  if (!areShortcutsOn.value || !isPlain || !(target instanceof Element) || target.closest(TAKES_KEYS)) return
  const found = shortcuts.value.findLast(({ key }) => key === event.key || key === event.key.toLowerCase())
  if (!found) return
  event.preventDefault()
  found.run()
}
document.addEventListener('keydown', onKeyDown)

/** Adds shortcuts while a component is shown. `list` must stay the same array until its actions change. */
export const useShortcuts = (list: readonly Shortcut[]): void => {
  useEffect(() => {
    shortcuts.value = [...shortcuts.value, ...list]
    return () => {
      shortcuts.value = shortcuts.value.filter((each) => !list.includes(each))
    }
  }, [list])
}
