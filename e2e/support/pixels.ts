import type { Page } from 'playwright/test'

/** Differences of a color that nobody sees: antialiasing, and the compression of images of canvases. */
const TOLERANCE = 24

/** Returns how many pixels of two pictures (PNG) differ, in percent. `page`: any open page. It decodes the pictures. */
export const differenceOf = (page: Page, one: Buffer, two: Buffer): Promise<number> =>
  page.evaluate(
    async ([first, second, tolerance]) => {
      const dataOf = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!
        context.drawImage(image, 0, 0)
        return context.getImageData(0, 0, image.width, image.height)
      }
      const [a, b] = [await dataOf(first), await dataOf(second)]
      if (a.width !== b.width || a.height !== b.height) return 100
      let count = 0
      for (let at = 0; at < a.data.length; at += 4)
        if ([0, 1, 2].some((part) => Math.abs(a.data[at + part]! - b.data[at + part]!) > tolerance)) count += 1
      return (count / (a.width * a.height)) * 100
    },
    [one.toString('base64'), two.toString('base64'), TOLERANCE] as const,
  )
