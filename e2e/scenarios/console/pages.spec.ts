import type { Page } from 'playwright/test'
import { expect, findViolations, test } from '../../support/console'
import { pagePaths, showPage } from '../../support/consolePages'
import { fillProject } from '../../support/filledProject'

const WIDTHS = [390, 1440, 2560]
const THEMES = ['light', 'dark'] as const
/** Tall, because dashboards load what is in view. */
const HEIGHT = 3000
/** Half of what counts as good, https://web.dev/articles/cls. */
const MAX_SHIFT = 0.05

/** Sums up how far the content moves without user input (`layout-shift` of https://wicg.github.io/layout-instability). */
const watchShifts = (page: Page) =>
  page.evaluate(() => {
    const own = window as unknown as { shift: number }
    own.shift = 0
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean }
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries() as Shift[]) if (!hadRecentInput) own.shift += value
    }).observe({ type: 'layout-shift' })
  })

/** Returns the cumulative layout shift since the last call, and resets it. */
const takeShifts = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const own = window as unknown as { shift: number }
    const { shift } = own
    own.shift = 0
    return shift
  })

/** Returns what a person would call broken: sideways scrolling, and headings, controls and tiles that are cut or overlap. */
const findLayoutProblems = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const problems: string[] = []
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.trim().slice(0, 40)}”`
    const isInView = ({ width, height }: { width: number; height: number }) => width > 1 && height > 1
    /** Returns the visible part of an element, and whether an ancestor that does not scroll cuts it off. */
    const clip = (element: Element) => {
      const whole = element.getBoundingClientRect()
      let [left, top, right, bottom] = [whole.left, whole.top, whole.right, whole.bottom]
      let isCut = false
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(parent)
        if (overflowX === 'visible' && overflowY === 'visible') continue
        const box = parent.getBoundingClientRect()
        const isOver = whole.left < box.left - 2 || whole.right > box.right + 2
        if (isOver && !['auto', 'scroll'].includes(overflowX)) isCut = true
        left = Math.max(left, box.left)
        top = Math.max(top, box.top)
        right = Math.min(right, box.right)
        bottom = Math.min(bottom, box.bottom)
      }
      return { element, left, top, right, bottom, width: right - left, height: bottom - top, isCut }
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const widest = [...document.querySelectorAll('main *')]
        .filter((element) => clip(element).right > clientWidth)
        .map(nameOf)
      problems.push(`The document is ${scrollWidth - clientWidth} px too wide by ${widest.slice(-3).join(', ')}`)
    }
    const boxes = [...document.querySelectorAll('h1, h2, h3, button, main a, select, input, textarea, .tile, .badge')]
      .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((element) => !element.closest('.skip-link, .visually-hidden, .topbar'))
      .map(clip)
    for (const { element, isCut } of boxes) {
      const { overflowX, textOverflow, display } = getComputedStyle(element)
      const mayScroll = overflowX === 'auto' || element.matches('input, textarea')
      const isTooSmall = display !== 'inline' && element.scrollWidth > element.clientWidth + 2
      if (isCut || (isTooSmall && !mayScroll && textOverflow !== 'ellipsis'))
        problems.push(`${nameOf(element)} is cut off`)
    }
    const visible = boxes.filter(isInView)
    for (const [index, a] of visible.entries())
      for (const b of visible.slice(index + 1)) {
        if (a.element.contains(b.element)) continue
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (width > 2 && height > 2) problems.push(`${nameOf(a.element)} overlaps ${nameOf(b.element)}`)
      }
    return problems
  })

test('every page of the console fits in narrow, usual and wide windows, does not move while it loads, and is accessible in both themes', async ({
  view: { service, page, open },
}) => {
  const items = await fillProject(service)
  await page.setViewportSize({ width: 1440, height: HEIGHT })
  await open('settings')
  await watchShifts(page)
  for (const path of await pagePaths()) {
    const item = path.includes(':') ? items[path] : path
    if (!item) throw new Error(`fillProject() in e2e/support/filledProject.ts returns no item for the page ${path}`)
    await takeShifts(page)
    await showPage(page, `/console/projects/${service.projectId}/${item}`)
    expect(await takeShifts(page), `${path} moves`).toBeLessThan(MAX_SHIFT)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      // Charts follow the window a frame later.
      await expect.poll(() => findLayoutProblems(page), { message: `${path}, ${width} px` }).toEqual([])
    }
    await page.setViewportSize({ width: 1440, height: HEIGHT })
    // Themes differ in their colors only.
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page, colorScheme), `${path}, ${colorScheme}`).toEqual([])
    }
    await expect(page.getByRole('alert'), path).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'There is no' }), path).toHaveCount(0)
  }
})

for (const [title, sql] of [
  ['a short query', 'SELECT 1'],
  ['a long query', `SELECT event\n${'-- a comment\n'.repeat(15)}FROM events`],
] as const)
  test(`the SQL editor takes up the space of ${title} before its code has loaded`, async ({ view: { page, open } }) => {
    let load = () => {}
    const held = new Promise<void>((done) => (load = done))
    await page.route(/createEditor/, async (route) => {
      await held
      await route.continue()
    })
    await open(`insights/sql?q=${encodeURIComponent(sql)}`)
    const run = page.getByRole('button', { name: 'Run' })
    const before = (await run.boundingBox())!.y
    load()
    await expect(page.getByRole('textbox', { name: 'SQL query' })).toBeVisible()
    expect((await run.boundingBox())!.y).toBe(before)
  })
