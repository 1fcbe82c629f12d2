import type { Feature } from '../../feature'

/** Compresses requests in browsers without Compression Streams. */
export const gzip: Feature = {
  name: 'gzip',
  connect: ({ delivery }) => ({ runs: { wanted: delivery.needsGzip, isOfPage: true, load: 'gzip' } }),
}
