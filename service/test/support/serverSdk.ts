import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const load = createRequire(resolve(__dirname, '../../../package.json'))

/** Returns the exports of a built sub-path of the package, such as `server`. Their types are tested with the package. */
export const loadSubpath = (name: string): any => load(`./dist/cjs/${name}.cjs`)
