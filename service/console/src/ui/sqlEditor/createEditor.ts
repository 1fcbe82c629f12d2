import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { keywordCompletionSource } from '@codemirror/lang-sql'
import { LanguageSupport } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  type ViewUpdate,
  ViewPlugin,
} from '@codemirror/view'
import { attachRoot, baseExtensions } from './base.ts'
import { completionsFor, type SqlNames } from './completions.ts'
import { dialect } from './dialect.ts'
import type { SqlProblem } from './problem.ts'
import { replaceTyped } from './replaceTyped.ts'

export interface EditorOptions {
  readonly host: HTMLElement
  readonly label: string
  readonly text: string
  readonly isReadOnly: boolean
  readonly names: () => SqlNames | undefined
  readonly onChange: (text: string) => void
  /** Called by Ctrl-Enter or Cmd-Enter. */
  readonly onRun: () => void
}

export interface Editor {
  /** Replaces the text, if it differs. Does not call `onChange`. */
  setText(text: string): void
  /** Marks places in the text. */
  setProblems(problems: readonly SqlProblem[]): void
  /** Moves the cursor to an offset and focuses the editor. */
  goTo(offset: number): void
  destroy(): void
}

const variableMarks = new MatchDecorator({
  regexp: /\{\s*variables\.\w+\s*\}/g,
  decoration: Decoration.mark({ class: 'cm-variable' }),
})
const markVariables = ViewPlugin.define(
  (view) => ({
    marks: variableMarks.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = variableMarks.updateDeco(update, this.marks)
    },
  }),
  { decorations: ({ marks }) => marks },
)

const complete = (names: () => SqlNames | undefined) => (context: CompletionContext) => {
  const known = names()
  const word = context.matchBefore(/[\w$.]+/)
  if (!known || (!word && !context.explicit)) return null
  const path = word?.text.split('.') ?? ['']
  const typed = path.pop()!
  if (path.length === 0 && typed === '' && !context.explicit) return null
  const options = completionsFor(path, context.state.doc.toString(), known)
  return { from: context.pos - typed.length, options: [...options], validFor: /^[\w$]*$/ }
}

const toDiagnostic = ({ start, end, message, replacement }: SqlProblem, length: number): Diagnostic => ({
  from: Math.min(start, length),
  to: Math.min(Math.max(end, start), length),
  severity: 'error',
  message,
  actions:
    replacement === undefined
      ? []
      : [
          {
            name: `Replace with ${replacement}`,
            apply: (view, from, to) => view.dispatch({ changes: { from, to, insert: replacement } }),
          },
        ],
})

/** Creates an editor of SQL. Tab leaves it. */
export const createEditor = ({ host, label, text, isReadOnly, names, onChange, onRun }: EditorOptions): Editor => {
  const root = attachRoot(host)
  const run = () => {
    onRun()
    return true
  }
  const { language } = dialect
  let isSetting = false
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run }]),
        ...baseExtensions(root, label),
        EditorState.readOnly.of(isReadOnly),
        history(),
        replaceTyped,
        drawSelection(),
        closeBrackets(),
        autocompletion(),
        markVariables,
        new LanguageSupport(language, [
          language.data.of({ autocomplete: complete(names) }),
          language.data.of({ autocomplete: keywordCompletionSource(dialect, true) }),
        ]),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        EditorView.updateListener.of(
          (update) => update.docChanged && !isSetting && onChange(update.state.doc.toString()),
        ),
      ],
    }),
  })
  return {
    setText(next) {
      const { doc } = view.state
      if (doc.toString() === next) return
      isSetting = true
      view.dispatch({ changes: { from: 0, to: doc.length, insert: next } })
      isSetting = false
    },
    setProblems(problems) {
      const { length } = view.state.doc
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((problem) => toDiagnostic(problem, length)),
        ),
      )
    },
    goTo(offset) {
      view.dispatch({ selection: { anchor: Math.min(offset, view.state.doc.length) }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}
