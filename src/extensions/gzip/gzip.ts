import { gzipSync, strToU8 } from 'fflate'
import type { Extension } from '../contract'

/** Compresses requests in browsers without Compression Streams. */
export const start: Extension['start'] = (host) => {
  host.useGzip((text) => gzipSync(strToU8(text), { mtime: 0 }))
  return () => host.useGzip(undefined)
}
