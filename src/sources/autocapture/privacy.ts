import { closestOf, unclobbered } from '../../browser/dom'
import { attempt } from '../../lib/guard'
import { SENSITIVE_NAME } from '../../lib/sensitive'
import { tagOf } from './elements'

// Elements whose content a person typed or chose: fields, their ARIA counterparts, rich text editors, and code editors
// that draw the text of a hidden field into plain elements.
const INPUTS =
  'select,textarea,datalist,output,[contenteditable]:not([contenteditable=false i]),.CodeMirror,.monaco-editor,.ace_editor,' +
  ['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider'].map((role) => `[role~=${role} i]`).join()

/** Rich text editors. */
export const EDITOR = '[contenteditable]:not([contenteditable=false i])'

/** Content that the page excludes from capturing or that a person entered. */
export const PRIVATE = `${INPUTS},.ph-sensitive,.ph-no-capture`

// Private content, and elements that an editor may exclude from editing.
const MAYBE_PRIVATE = `${INPUTS},.ph-sensitive,[contenteditable]`

// Whether a custom element is a field: it takes part in forms or has a value.
const isCustomField = (element: Element, tag: string) =>
  tag.includes('-') &&
  !!(
    element.hasAttribute('value') ||
    (customElements.get(tag) as { formAssociated?: boolean } | undefined)?.formAssociated
  )

// Returns how CSS and EditContext let a person edit an element. Undefined in Firefox, and for an `unclobbered` form,
// whose content inherits it.
const userModify = (element: Element) =>
  attempt(() => (getComputedStyle(element) as { webkitUserModify?: string }).webkitUserModify)

// Editable by EditContext or CSS, or edited otherwise than by an attribute.
const isEdited = (element: Element) =>
  (element instanceof HTMLElement && element.isContentEditable) || userModify(element)?.startsWith('read-write')

const isWithin = (element: Element, selector: string) => !!closestOf(element, selector)

/** Whether an element has the name of a secret, or a type that hides its value. */
const isSecret = (element: Element, tag: string) => {
  const name = element.getAttribute('name') || element.id
  return (
    ((name && SENSITIVE_NAME.test(name.replace(/[^a-z0-9]/gi, ''))) ||
      (tag === 'input' && /^(hidden|password)$/i.test((element as HTMLInputElement).type))) &&
    !element.classList.contains('ph-include')
  )
}

/** An element and the limits of its capture. */
export interface CheckedElement {
  element: Element
  tag: string
  /** Whether the element shows what a person types or chooses. */
  isField: boolean
  /**
   * Whether only the position of the element may be captured: it or an ancestor is marked as sensitive, it has the name
   * of a secret, or a person entered its content.
   */
  isSensitive: boolean
  /** Whether it or an ancestor is marked as sensitive, it has the name of a secret, or it is inside a field. */
  isExcluded: boolean
}

/**
 * Returns the elements of a path with the limits of their capture. Begins with the outermost element, because
 * editability is inherited.
 */
export const checkPath = (path: readonly Element[]): CheckedElement[] => {
  const checked: CheckedElement[] = []
  const [target] = path
  if (!target) return checked
  // For most paths, one check of the target shows that no element matches. That is faster than a check of each element.
  const mayMatch = isWithin(target, MAYBE_PRIVATE)
  // Inherited, except by elements that an editor excludes from editing, such as mentions.
  const mayBeEdited = mayMatch || userModify(target) !== 'read-only'
  let isInEditor = false
  let isInInputs = unclobbered(document).designMode === 'on'
  let isInCustomField = false
  let isMarked = false
  for (let index = path.length; index--;) {
    const element = path[index]!
    const tag = tagOf(element)
    isMarked ||= mayMatch && isWithin(element, '.ph-sensitive')
    isInInputs ||= mayMatch && isWithin(element, INPUTS)
    const isEditor = isInInputs || (mayBeEdited && !!isEdited(element))
    const isCustom = isCustomField(element, tag)
    const isExcluded = isMarked || isInCustomField || isSecret(element, tag)
    checked[index] = {
      element,
      tag,
      isField:
        tag === 'input'
          ? !/^(button|checkbox|submit|reset)$/i.test((element as HTMLInputElement).type)
          : isEditor || isCustom || tag === 'option',
      isSensitive: isExcluded || isInEditor,
      isExcluded,
    }
    isInEditor = isEditor
    isInCustomField ||= isCustom && !isEditor
  }
  return checked
}
