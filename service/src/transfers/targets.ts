import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A place for the files of an export. */
export interface Target {
  /** Writes a file, and replaces an existing one with the same name. A file is complete or absent. */
  write(path: string, body: Readable | string): Promise<void>
  /** Returns the text of a file, or `undefined` if it does not exist. */
  read(path: string): Promise<string | undefined>
}

/** Creates the target for a folder. */
export const folderTarget = (folder: string): Target => ({
  async write(path, body) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const part = `${file}.part`
    try {
      if (typeof body === 'string') writeFileSync(part, body, { mode: 0o600 })
      else await pipeline(body, createWriteStream(part, { mode: 0o600 }))
      renameSync(part, file)
    } catch (error) {
      rmSync(part, { force: true })
      throw error
    }
  },
  read: async (path) => {
    const file = join(folder, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  },
})
