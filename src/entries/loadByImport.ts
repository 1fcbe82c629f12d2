import type { Extensions, LoadExtension } from '../extensions/extensions'

const IMPORTS: { readonly [N in keyof Extensions]: () => Promise<Extensions[N]> } = {
  clicks: () => import('../extensions/clicks'),
  gzip: () => import('../extensions/gzip'),
}

/** Extensions of the npm build: chunks that the site's own bundler owns. */
export const loadByImport: LoadExtension = (name) => IMPORTS[name]()
