import { closestOf, unclobbered } from '../../browser/dom'
import { attempt } from '../../lib/guard'
import { SENSITIVE_NAME } from '../../lib/sensitive'
import { pathOf, tagOf } from './elements'

// Elements whose content a person typed or chose: fields, their ARIA counterparts, rich text editors, and code editors
// that draw the text of a hidden field into plain elements.
const INPUTS =
  'select,textarea,datalist,output,[contenteditable]:not([contenteditable=false i]),.CodeMirror,.monaco-editor,.ace_editor,' +
  ['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider'].map((role) => `[role~=${role} i]`).join()

/** Content that the page excludes from capturing or that a person entered. */
export const PRIVATE = `${INPUTS},.ph-sensitive,.ph-no-capture`

// A custom element that is a field: it takes part in forms or has a value.
const isCustomField = (element: Element) => {
  const tag = tagOf(element)
  return (
    tag.includes('-') &&
    (element.hasAttribute('value') ||
      (customElements.get(tag) as { formAssociated?: boolean } | undefined)?.formAssociated)
  )
}

const isInEditor = (element: Element) =>
  closestOf(element, INPUTS) ||
  // Editable by EditContext, CSS, or the document's design mode.
  (element instanceof HTMLElement && element.isContentEditable) ||
  // An `unclobbered` form has no computed style, but its content inherits this one.
  attempt(() => (getComputedStyle(element) as { webkitUserModify?: string }).webkitUserModify)?.startsWith(
    'read-write',
  ) ||
  unclobbered(document).designMode === 'on'

/** Whether this element shows what a person types or chooses. */
export const isField = (element: Element): boolean =>
  tagOf(element) === 'input'
    ? !/^(button|checkbox|submit|reset)$/i.test((element as HTMLInputElement).type)
    : !!(isInEditor(element) || isCustomField(element) || tagOf(element) === 'option')

/**
 * Whether only the position of an element may be captured: it or an ancestor is marked as sensitive, its name is that of
 * a secret, or a person entered its content. `path`: the element and its ancestors.
 */
export const isSensitive = (element: Element, path: readonly Element[] = pathOf(element)): boolean => {
  if (closestOf(element, '.ph-sensitive') || (path[1] && isInEditor(path[1])) || path.slice(1).some(isCustomField))
    return true
  if (element.classList.contains('ph-include')) return false
  if (tagOf(element) === 'input' && /^(hidden|password)$/i.test((element as HTMLInputElement).type)) return true
  const name = element.getAttribute('name') || element.id
  return SENSITIVE_NAME.test(name.replace(/[^a-z0-9]/gi, ''))
}
