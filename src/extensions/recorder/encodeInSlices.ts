import { inNextTask } from './slices'

// Browsers compress what is written at once in one task.
const SLICE_CHARACTERS = 50_000

const isHighSurrogate = (code: number) => (code & 0xfc00) === 0xd800

/** Compresses a long text in slices, between which the page continues. Shorter texts, or if that fails: by `encode`. */
export const encodeInSlices = async <T>(
  text: string,
  encode: (text: string) => Promise<T>,
): Promise<T | Uint8Array<ArrayBuffer>> => {
  if (text.length < 2 * SLICE_CHARACTERS) return encode(text)
  try {
    const { readable, writable } = new CompressionStream('gzip')
    const result = new Response(readable).arrayBuffer()
    // Rejected together with the writes.
    result.catch(() => {})
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = start + SLICE_CHARACTERS
      if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1
      await writer.write(encoder.encode(text.slice(start, end)))
      await new Promise<void>(inNextTask)
    }
    await writer.close()
    return new Uint8Array(await result)
  } catch {
    return encode(text)
  }
}
