import { type Extension } from '@codemirror/state'
import { bracketMatching } from '@codemirror/language'
import { EditorView, highlightSpecialChars, lineNumbers, tooltips } from '@codemirror/view'
import { look } from './theme.ts'

/** Adds a shadow root to `host`, because the content security policy lets editors add styles only there. */
export const attachRoot = (host: HTMLElement): ShadowRoot => host.shadowRoot ?? host.attachShadow({ mode: 'open' })

/** Extensions of all editors. `label` is the accessible name. */
export const baseExtensions = (root: ShadowRoot, label: string): readonly Extension[] => {
  const tips = document.createElement('div')
  root.append(tips)
  return [
    lineNumbers(),
    highlightSpecialChars(),
    bracketMatching(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    tooltips({ parent: tips }),
    look,
  ]
}
