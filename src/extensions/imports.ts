import type { ExtensionName, Extension } from './contract'

/** Imports an extension. Rollup writes this file as a table of imports, which every bundler can follow. */
export const importExtension = (name: ExtensionName): Promise<Extension> =>
  import(`./${name}/${name}`) as Promise<Extension>
