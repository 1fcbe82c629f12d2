import { dirname, join } from 'node:path'
import { own } from '../../lib/own.ts'

/** The engine cannot run here. Its message says why and what to do. */
export class EngineMissing extends Error {
  override name = 'EngineMissing'
}

export interface Machine {
  readonly platform: string
  readonly arch: string
  /** Whether the C library is glibc, which the engine's Linux library needs. */
  readonly glibc: boolean
  /** Returns the path of a file in an installed package. Throws if it is not installed. */
  readonly resolve: (file: string) => string
}

/** Platforms with a package of the engine's library. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@chdb/lib-linux-x64-gnu',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'darwin-arm64': '@chdb/lib-darwin-arm64',
}

const OTHERWISE = 'set CLICKHOUSE_URL to a ClickHouse server'

/** Returns the path of the engine's library on this machine. Throws `EngineMissing`. */
export const engineLibrary = ({ platform, arch, glibc, resolve }: Machine): string => {
  if (platform === 'win32')
    throw new EngineMissing(
      `The embedded engine does not run on Windows: start the service inside WSL, or ${OTHERWISE}.`,
    )
  const name = own(PACKAGES, `${platform}-${arch}`)
  if (!name)
    throw new EngineMissing(
      `The embedded engine does not run on ${platform} ${arch}: use Linux or macOS on x64 or arm64, or ${OTHERWISE}.`,
    )
  if (platform === 'linux' && !glibc) {
    throw new EngineMissing(
      `The embedded engine needs glibc, and this Linux has another C library (such as musl in Alpine): use a Debian-based image, or ${OTHERWISE}.`,
    )
  }
  try {
    return join(dirname(resolve(`${name}/package.json`)), 'libchdb.so')
  } catch {
    throw new EngineMissing(
      `The embedded engine's package ${name} is not installed: run npm install without --omit=optional, or ${OTHERWISE}.`,
    )
  }
}

/** Returns the platform of this process. */
export const thisMachine = (resolve: Machine['resolve']): Machine => {
  let glibc = true
  if (process.platform === 'linux') {
    // Names of the peers of open connections would be looked up in DNS.
    Object.assign(process.report, { excludeNetwork: true }) // missing in the types of Node 20
    const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
    glibc = report.header.glibcVersionRuntime !== undefined
  }
  return { platform: process.platform, arch: process.arch, glibc, resolve }
}
