import type { Browser } from 'playwright/test'
import { frames, type Moment } from './galleryMoments'
import { pause } from './pause'
import type { Service } from './service'

/** Time in which the player shows a moment, on a busy machine. */
const MAX_SEEK_MS = 15_000

/** Opens a recording in the console. Returns functions that show its moments and close it. */
export const openPlayer = async (browser: Browser, service: Service, id: string) => {
  const { url, key, projectId } = service
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const view = await context.newPage()
  await view.request.post(`${url}/api/console/session`, { headers: { origin: url }, data: { key } })
  const { body } = await service.api('GET', `/session_recordings/${id}`)
  const start = Date.parse(String(body.started_at))
  await view.goto(`${url}/console/projects/${projectId}/recordings/${id}`)
  const screen = view.locator('iframe[title="Recorded page"]')
  const player = screen.contentFrame()
  const recorded = player.locator('iframe').contentFrame()
  await recorded.locator('body').waitFor({ state: 'attached' })
  const slider = view.getByRole('slider', { name: 'Moment' })
  // To the millisecond, instead of seconds.
  await slider.evaluate((input: HTMLInputElement) => (input.step = '1'))
  // At whole pixels.
  await screen.evaluate((frame) => {
    for (const [name, value] of Object.entries({ position: 'fixed', inset: '0 auto auto 0', transform: 'none' }))
      frame.style.setProperty(name, value, 'important')
  })
  return {
    /** Returns a picture of the recorded page at a moment; undefined if the player does not get there. */
    show: async ({ name, at }: Moment): Promise<Buffer | undefined> => {
      await slider.fill(String(at - start))
      const page = recorded.locator(`html[data-moment="${name}"]`)
      const isThere = page.waitFor({ state: 'attached', timeout: MAX_SEEK_MS })
      if (!(await isThere.then(() => true).catch(() => false))) return undefined
      // The person's pointer is not part of the page.
      await player.locator('body').evaluate((element) => element.classList.add('is-still'))
      await frames(view, 3)
      await pause(view, 200)
      return screen.screenshot()
    },
    close: () => context.close(),
  }
}
