import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--page)', color: 'var(--text)', fontSize: '0.8125rem', maxHeight: '32rem' },
  '&.cm-focused': { outline: '2px solid var(--primary)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.6',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.6rem 0' },
  '.cm-content, .cm-gutter': { minHeight: '9rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--bar) !important',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--bar) !important', outline: '1px solid var(--border)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--page)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--primary)',
    color: 'var(--on-primary)',
  },
  '.cm-completionDetail': { opacity: '0.8', fontStyle: 'normal', marginLeft: '1rem' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--primary)', color: 'var(--on-primary)', borderRadius: '4px' },
  '.cm-changedLine': { backgroundColor: 'var(--good-ground) !important' },
  '.cm-changedText': { background: 'none !important', fontWeight: '700' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-ground) !important' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none !important', fontWeight: '700' },
  '.cm-variable': { color: 'var(--warning)', fontWeight: '600' },
})

const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--primary)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--primary)' },
])

/** Look of the editors, by the console's custom properties, so that it follows the theme. */
export const look = [theme, syntaxHighlighting(highlight)]
