import { h, render } from 'preact'
import type { ToolbarParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { consoleUrl } from './hosts'
import { Icon } from './icons'
import type { Layer } from './layer'

/** Shows a link to the console, and nothing of the project. Returns a function that removes it. */
export const showSignIn = (
  { root }: Layer,
  { config, token, end }: ToolbarParts & ExtensionHost,
  message: string,
): Stop => {
  const box = document.createElement('div')
  box.className = 'dock start'
  root.append(box)
  render(
    <div class="bar" role="group" aria-label="Trailmark toolbar">
      <p class="message" role="status">
        {message}
      </p>
      <a
        class="button"
        href={`${consoleUrl(config)}/settings?${new URLSearchParams({ tab: 'toolbar', token }).toString()}`}
        target="_blank"
        rel="noopener"
      >
        Sign in<span class="sr-only"> (new tab)</span>
      </a>
      <button type="button" class="icon" aria-label="Close" onClick={end}>
        <Icon name="close" />
      </button>
    </div>,
    box,
  )
  return () => {
    render(null, box)
    box.remove()
  }
}
