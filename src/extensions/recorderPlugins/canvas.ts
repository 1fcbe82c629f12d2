import type { RecorderPluginParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { quietly } from './wrap'

const INCREMENTAL = 3
const CANVAS_MUTATION = 9
const MAX_FPS = 12

const inRange = (value: unknown, fallback: number, max: number) => {
  const number = Number(value ?? fallback)
  return number > 0 ? Math.min(number, max) : fallback
}

const toBase64 = async (blob: Blob): Promise<string> => {
  let text = ''
  for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Returns the canvas as an image, encoded off the main thread. Rejects for a canvas with cross-origin images. */
const imageOf = async (canvas: HTMLCanvasElement, scale: number, quality: number): Promise<Blob> => {
  const [width, height] = [canvas.width, canvas.height].map((each) => Math.max(1, Math.round(each * scale))) as [
    number,
    number,
  ]
  const bitmap = await createImageBitmap(canvas, { resizeWidth: width, resizeHeight: height })
  const copy = new OffscreenCanvas(width, height)
  copy.getContext('2d')!.drawImage(bitmap, 0, 0)
  bitmap.close()
  return copy.convertToBlob({ type: 'image/webp', quality })
}

/**
 * Records canvases as images a few times per second if they have changed. Needs no worker, which a page's policy could
 * forbid, and patches no function of the page.
 */
export const startCanvas = ({ config, add, openId, later, snapshots }: ExtensionHost & RecorderPluginParts): Stop => {
  const { captureCanvas = {}, canvasCapture = {} } = config.session_recording
  const fps = inRange(captureCanvas.canvasFps, 4, MAX_FPS)
  const quality = inRange(captureCanvas.canvasQuality, 0.4, 1)
  const scale = inRange(canvasCapture.resolutionScale, 1, 1)
  const latest = new WeakMap<HTMLCanvasElement, string>()
  const busy = new WeakSet<HTMLCanvasElement>()

  const record = async (canvas: HTMLCanvasElement): Promise<void> => {
    const { width, height } = canvas
    if (!width || !height || busy.has(canvas)) return
    busy.add(canvas)
    try {
      if (!openId(canvas)) return
      const blob = await imageOf(canvas, scale, quality)
      const base64 = await toBase64(blob)
      // Masked or removed while it was encoded.
      const id = openId(canvas)
      // A player that begins with a full snapshot needs the image after it.
      const state = `${snapshots()} ${id} ${base64}`
      if (!id || latest.get(canvas) === state) return
      latest.set(canvas, state)
      const data = [{ rr_type: 'ArrayBuffer', base64 }]
      const image = { rr_type: 'ImageBitmap', args: [{ rr_type: 'Blob', data, type: blob.type }] }
      const commands = [
        { property: 'clearRect', args: [0, 0, width, height] },
        { property: 'drawImage', args: [image, 0, 0, width, height] },
      ]
      add(INCREMENTAL, { source: CANVAS_MUTATION, id, type: 0, commands })
    } catch {
      // Its pixels may not be read. It is shown as a box.
    } finally {
      busy.delete(canvas)
    }
  }
  let timer: ReturnType<typeof setTimeout>
  const recordAll = () => {
    // Only the frame itself can read what it has drawn on WebGL.
    requestAnimationFrame(() =>
      quietly(() => document.querySelectorAll('canvas').forEach((canvas) => void record(canvas))),
    )
    timer = later(recordAll, 1000 / fps)
  }
  recordAll()
  return () => clearTimeout(timer)
}
