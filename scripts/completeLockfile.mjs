// Adds the other platforms' binary packages to package-lock.json.
//
// npm writes them itself if the registry has them. With a registry that serves the binaries of one platform only, npm
// leaves them out, and `npm ci` then rejects the lockfile. Run this after `npm install` with such a registry:
//   node scripts/completeLockfile.mjs
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(FILE, 'utf8'))

const OS = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  android: 'android',
  openharmony: 'openharmony',
  aix: 'aix',
  sunos: 'sunos',
  netbsd: 'netbsd',
}
const CPU = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'arm', 'mips64el', 'wasm32']

const platformOf = (name) => {
  const words = name.split(/[-/]/)
  const os = words.map((word) => OS[word]).find(Boolean)
  const cpu =
    CPU.find((each) => words.includes(each)) ?? (words.some((word) => word.startsWith('arm')) ? 'arm' : undefined)
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}) }
}

let added = 0
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, wanted] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = Object.keys(lock.packages).some(
      (other) => other === `node_modules/${name}` || other === `${place}/node_modules/${name}`,
    )
    if (known) continue
    const version = wanted.replace(/^[\^~=]/, '')
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      license: entry.license,
      optional: true,
    }
    added += 1
  }
}

const [root, ...rest] = Object.entries(lock.packages)
lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))])
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added} packages added to package-lock.json`)
