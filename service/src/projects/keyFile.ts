import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the generated first key, readable by its owner only. */
export interface KeyFile {
  readonly path: string
  /** Returns the key. Empty: there is no file. */
  read(): string
  /** Writes the key. `undefined`: deletes the file. */
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
      chmodSync(path, 0o600) // an existing file keeps its mode
    },
  }
}

/**
 * Returns a key file for processes that share the metadata. A new secret is written only if the file exists. Otherwise
 * there may be no folder, and the response of the rotation shows the secret.
 */
export const sharedKeyFile = (file: KeyFile): KeyFile => ({
  ...file,
  write(secret) {
    if (file.read()) file.write(secret)
  },
})
