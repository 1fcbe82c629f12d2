import { closestOf, unclobbered } from '../../browser/dom'
import { attempt } from '../../lib/guard'
import { SENSITIVE_NAME } from '../../lib/sensitive'
import { pathOf, tagOf } from './elements'

// Everything in these shows what a person typed or chose: fields, their ARIA counterparts, rich text editors, and the code
// editors that draw the text of a hidden field into plain elements.
const INPUTS =
  'select,textarea,datalist,output,[contenteditable]:not([contenteditable=false i]),.CodeMirror,.monaco-editor,.ace_editor,' +
  ['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider'].map((role) => `[role~=${role} i]`).join()

/** Content that the page excludes from capturing or that a person entered. */
export const PRIVATE = `${INPUTS},.ph-sensitive,.ph-no-capture`

// A component that is a field of its own: it takes part in forms, or has a value.
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
  // Editable by EditContext, by CSS, or with the whole document.
  (element instanceof HTMLElement && element.isContentEditable) ||
  // Not known of an `unclobbered` form itself; what is in it inherits this style.
  attempt(() => (getComputedStyle(element) as { webkitUserModify?: string }).webkitUserModify)?.startsWith(
    'read-write',
  ) ||
  unclobbered(document).designMode === 'on'

/** Whether what a person types or chooses shows in this element. */
export const isField = (element: Element): boolean =>
  tagOf(element) === 'input'
    ? !/^(button|checkbox|submit|reset)$/i.test((element as HTMLInputElement).type)
    : !!(isInEditor(element) || isCustomField(element) || tagOf(element) === 'option')

/**
 * Whether an element may only be captured by its place: it or an ancestor is marked as sensitive, it is named like a
 * secret, or it is content that a person entered. `path`: the element and its ancestors.
 */
export const isSensitive = (element: Element, path: readonly Element[] = pathOf(element)): boolean => {
  if (closestOf(element, '.ph-sensitive') || (path[1] && isInEditor(path[1])) || path.slice(1).some(isCustomField))
    return true
  if (element.classList.contains('ph-include')) return false
  if (tagOf(element) === 'input' && /^(hidden|password)$/i.test((element as HTMLInputElement).type)) return true
  const name = element.getAttribute('name') || element.id
  return SENSITIVE_NAME.test(name.replace(/[^a-z0-9]/gi, ''))
}
