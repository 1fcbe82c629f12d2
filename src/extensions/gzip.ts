import { gzipSync, strToU8 } from 'fflate'

/** `text` gzipped at once, on this thread: for the end of a page, which waits for no promise. */
export const gzipNow = (text: string): Uint8Array<ArrayBuffer> => gzipSync(strToU8(text), { mtime: 0 })
