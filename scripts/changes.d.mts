/** A changeset: a note on a change since the last release. */
export interface Change {
  file: string
  bump: 'major' | 'minor' | 'patch'
  text: string
}
export function readChanges(folder: string): Change[]
export function nextVersion(version: string, changes: readonly Pick<Change, 'bump'>[]): string
export function hasSection(changelog: string, version: string): boolean
export function releaseNotes(changelog: string, version: string, changes: readonly Change[]): string
