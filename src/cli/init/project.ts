import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The project that `init` changes. */
export interface Project {
  /** Whether there is a package.json. */
  isPackage: boolean
  /** Whether a package is among the dependencies. */
  has(name: string): boolean
  /** Returns the text of a file; `undefined` if there is none. */
  read(path: string): string | undefined
  /** Returns the paths of the files in a folder. */
  list(folder: string): string[]
  /** The first of these paths that exists. */
  find(...paths: string[]): string | undefined
  isTypeScript: boolean
}

/** Opens the project in a folder. Throws if package.json is not JSON. */
export const openProject = (root: string): Project => {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  const text = read('package.json')
  let manifest: Record<string, Record<string, string> | undefined> = {}
  try {
    manifest = JSON.parse(text ?? '{}') as typeof manifest
  } catch {
    throw new Error('package.json is not JSON.')
  }
  return {
    isPackage: text !== undefined,
    has: (name) => Boolean(manifest.dependencies?.[name] ?? manifest.devDependencies?.[name]),
    read,
    list: (folder) =>
      existsSync(join(root, folder))
        ? readdirSync(join(root, folder))
            .sort()
            .map((name) => (folder === '.' ? name : `${folder}/${name}`))
        : [],
    find: (...paths) => paths.find((path) => existsSync(join(root, path))),
    isTypeScript: existsSync(join(root, 'tsconfig.json')),
  }
}

/** Commands of the package managers, by the file that identifies each. The last is the default. */
const PACKAGE_MANAGERS = [
  { name: 'pnpm', files: ['pnpm-lock.yaml'], add: ['add'], remove: ['remove'] },
  { name: 'yarn', files: ['yarn.lock'], add: ['add'], remove: ['remove'] },
  { name: 'bun', files: ['bun.lock', 'bun.lockb'], add: ['add'], remove: ['remove'] },
  { name: 'npm', files: [], add: ['install'], remove: ['uninstall'] },
] as const

/** Finds the package manager of a project by its lock file. */
export const packageManagerOf = (project: Project): (typeof PACKAGE_MANAGERS)[number] =>
  PACKAGE_MANAGERS.find(({ files }) => project.find(...files)) ?? PACKAGE_MANAGERS.at(-1)!
