import { signal } from '@preact/signals'
import { readStored, writeStored } from './stored.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The chosen theme. `system` follows the operating system. */
export const theme = signal<Theme>(THEMES.find((each) => each === readStored('theme')) ?? 'system')

export const applyTheme = (): void => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

export const setTheme = (value: Theme): void => {
  theme.value = value
  writeStored('theme', value)
  applyTheme()
}
