import { inNextTask } from './slices'

// Browsers compress what is written at once in one task.
const SLICE_CHARACTERS = 50_000

const isHighSurrogate = (code: number) => (code & 0xfc00) === 0xd800

/** Returns a text in slices, of which none ends within a character. */
const slicesOf = (text: string): string[] => {
  const slices: string[] = []
  let start = 0
  while (start < text.length) {
    let end = start + SLICE_CHARACTERS
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1
    slices.push(text.slice(start, end))
    start = end
  }
  return slices
}

/** Compresses a long text, which comes in parts, in slices, between which the page continues. Shorter texts, or if that fails: by `encode`. */
export const encodeInSlices = async <T>(
  parts: readonly string[],
  encode: (text: string) => Promise<T>,
): Promise<T | Uint8Array<ArrayBuffer>> => {
  if (parts.reduce((sum, { length }) => sum + length, 0) < 2 * SLICE_CHARACTERS) return encode(parts.join(''))
  try {
    const { readable, writable } = new CompressionStream('gzip')
    const result = new Response(readable).arrayBuffer()
    // Rejected together with the writes.
    result.catch(() => {})
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    let waiting = ''
    const write = async () => {
      for (const slice of slicesOf(waiting)) {
        await writer.write(encoder.encode(slice))
        await new Promise<void>(inNextTask)
      }
      waiting = ''
    }
    for (const part of parts) {
      waiting += part
      if (waiting.length > SLICE_CHARACTERS) await write()
    }
    await write()
    await writer.close()
    return new Uint8Array(await result)
  } catch {
    return encode(parts.join(''))
  }
}
