import type { Locator, Page } from 'playwright/test'
import { FORMS } from './editors'

/** Sets a field of a form to a value in its format. `type`: as in `FORMS`. */
export const fillField = async (field: Locator, type: string, value: string): Promise<void> => {
  if (type === 'file') await field.setInputFiles({ name: value, mimeType: 'application/pdf', buffer: Buffer.of(1) })
  else if (FORMS[type]) await field.fill(value)
}

/** Types into an editor. If an ancestor swallows the keys, it sets the text and returns false. */
export const typeInto = async (page: Page, editor: Locator, text: string): Promise<boolean> => {
  await editor.focus()
  await page.keyboard.type(text)
  const content = await editor.evaluate((element) => {
    const field = element as HTMLInputElement
    return `${field.value} ${field.textContent} ${field.getAttribute('value')}`
  })
  if (content.includes(text)) return true
  await editor.evaluate((element, typed) => {
    const field = element as HTMLInputElement
    if ('value' in field) field.value = typed
    else element.innerHTML = `<p><span>${typed}</span></p>`
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
  }, text)
  return false
}

/** Fires events on every element in the sections of a page, including covered and hidden ones that no mouse reaches. */
export const fire = (page: Page, types: string[]): Promise<void> =>
  page.evaluate((given) => {
    let x = 0
    const visit = (element: Element) => {
      // Each in a different place, because three clicks in one spot are a rage click.
      x += 100
      for (const type of given) {
        const init = { bubbles: true, composed: true, cancelable: true, clientX: x }
        element.dispatchEvent(type === 'click' ? new MouseEvent(type, init) : new Event(type, init))
      }
      ;[...element.children, ...(element.shadowRoot?.children ?? [])].forEach(visit)
    }
    // Links and labels would respond.
    const prevent = (event: Event) => event.preventDefault()
    addEventListener('click', prevent)
    for (const section of document.querySelectorAll('section')) {
      if (!given.includes('click')) getSelection()!.selectAllChildren(section)
      visit(section)
    }
    removeEventListener('click', prevent)
  }, types)
