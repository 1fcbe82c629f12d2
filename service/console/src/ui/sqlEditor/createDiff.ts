import { LanguageSupport } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { attachRoot, baseExtensions } from './base.ts'
import { dialect } from './dialect.ts'

/** Shows how `changed` differs from `original`, in one column. Returns a function that removes the view. */
export const createDiff = (host: HTMLElement, label: string, original: string, changed: string): (() => void) => {
  const root = attachRoot(host)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: changed,
      extensions: [
        ...baseExtensions(root, label),
        EditorState.readOnly.of(true),
        new LanguageSupport(dialect.language),
        unifiedMergeView({ original, mergeControls: false, highlightChanges: true }),
      ],
    }),
  })
  return () => view.destroy()
}
