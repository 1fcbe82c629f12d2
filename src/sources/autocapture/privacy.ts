import { closestOf, unclobbered } from '../../browser/dom'
import { attempt } from '../../lib/guard'
import { SENSITIVE_NAME } from '../../lib/sensitive'
import { tagOf } from './elements'

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
    !!(
      element.hasAttribute('value') ||
      (customElements.get(tag) as { formAssociated?: boolean } | undefined)?.formAssociated
    )
  )
}

// Editable by EditContext or CSS, or edited otherwise than by an attribute.
const isEdited = (element: Element) =>
  (element instanceof HTMLElement && element.isContentEditable) ||
  // An `unclobbered` form has no computed style, but its content inherits this one.
  attempt(() => (getComputedStyle(element) as { webkitUserModify?: string }).webkitUserModify)?.startsWith('read-write')

/** Whether the name of an element is that of a secret, or its type hides its value. */
const isSecret = (element: Element) => {
  if (element.classList.contains('ph-include')) return false
  if (tagOf(element) === 'input' && /^(hidden|password)$/i.test((element as HTMLInputElement).type)) return true
  const name = element.getAttribute('name') || element.id
  return SENSITIVE_NAME.test(name.replace(/[^a-z0-9]/gi, ''))
}

/** An element, and what may be captured of it. */
export interface CheckedElement {
  element: Element
  /** Whether the element shows what a person types or chooses. */
  isField: boolean
  /**
   * Whether only the position of the element may be captured: it or an ancestor is marked as sensitive, its name is that
   * of a secret, or a person entered its content.
   */
  isSensitive: boolean
}

/** Returns the elements of a path with what may be captured of each. Most of it is inherited, so one pass reads each element once. */
export const checkPath = (path: readonly Element[]): CheckedElement[] => {
  const checked: CheckedElement[] = []
  let isInEditor = false
  let isInInputs = unclobbered(document).designMode === 'on'
  let isInCustomField = false
  let isMarked = false
  for (let index = path.length; index--;) {
    const element = path[index]!
    // The outermost also inherits from `html`, which is not part of a path.
    const isWithin = (selector: string) => !!(checked.length ? element.matches(selector) : closestOf(element, selector))
    isMarked ||= isWithin('.ph-sensitive')
    isInInputs ||= isWithin(INPUTS)
    const isEditor = !!(isInInputs || isEdited(element))
    const isCustom = isCustomField(element)
    const tag = tagOf(element)
    checked[index] = {
      element,
      isField:
        tag === 'input'
          ? !/^(button|checkbox|submit|reset)$/i.test((element as HTMLInputElement).type)
          : isEditor || isCustom || tag === 'option',
      isSensitive: isMarked || isInEditor || isInCustomField || isSecret(element),
    }
    isInEditor = isEditor
    isInCustomField ||= isCustom
  }
  return checked
}
