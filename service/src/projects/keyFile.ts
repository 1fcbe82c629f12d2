import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file that holds the key which the first start made up, for its owner's eyes only. */
export interface KeyFile {
  readonly path: string
  /** Empty if there is none. */
  read(): string
  /** `undefined`: takes the file away. */
  write(secret: string | undefined): void
}

export const keyFileIn = (dataDir: string): KeyFile => {
  const path = join(dataDir, 'personal_api_key')
  return {
    path,
    read: () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : ''),
    write(secret) {
      if (secret === undefined) return rmSync(path, { force: true })
      writeFileSync(path, `${secret}\n`, { mode: 0o600 })
      chmodSync(path, 0o600) // an older file keeps its mode
    },
  }
}

/**
 * The same where other processes share the definitions: a new secret is written down only where the file is. Elsewhere there
 * may be no folder to write into, and who asked for the secret has been shown it.
 */
export const sharedKeyFile = (file: KeyFile): KeyFile => ({
  ...file,
  write(secret) {
    if (file.read()) file.write(secret)
  },
})
