import type { Feature } from '../../feature'

/** Compresses requests in browsers that cannot. */
export const gzip: Feature = {
  name: 'gzip',
  connect: ({ delivery }) => ({ runs: { wanted: delivery.needsGzip, isOfPage: true, load: 'gzip' } }),
}
