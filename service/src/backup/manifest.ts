import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Metadata of a backup. Written last, so a backup without it is incomplete. */
export interface Manifest {
  readonly format: 1
  /** When the copy began. Absent in backups of earlier releases. */
  readonly startedAt?: string
  readonly createdAt: string
  /** Location of the events, in ClickHouse syntax. Absent: the folder of the backup. */
  readonly events?: string
}

const FILE = 'backup.json'

export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })

/** Returns `undefined` unless the folder has a complete backup in a format of this release. */
export const readManifest = (folder: string): Manifest | undefined => {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Manifest
    return manifest.format === 1 ? manifest : undefined
  } catch {
    return undefined // missing, or not a manifest
  }
}
