import type { Locator } from 'playwright/test'

/** Clicks an element three times by the page's own clock: a busy machine must not turn quick clicks into slow ones. */
export const clickThrice = (locator: Locator): Promise<void> =>
  locator.evaluate((element) => {
    const init = { bubbles: true, composed: true, cancelable: true }
    // Not `click()`: a page that calls it responds, by a file dialog or a download.
    const click = () => element.dispatchEvent(new MouseEvent('click', init))
    for (const ms of [0, 150, 300]) setTimeout(click, ms)
  })
