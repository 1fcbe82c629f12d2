import type { Feature } from '../feature'

/** Compresses requests where the browser cannot. */
export const gzip: Feature = {
  name: 'gzip',
  connect: ({ delivery }) => ({ runs: { wanted: delivery.needsGzip, load: 'gzip' } }),
}
