export type Version = readonly [number, number, number]

const VERSION = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.\d+)*(?:[-+].*)?$/
const WILDCARD = /^\s*v?(\d{1,9})(?:\.(\d{1,9}))?\.\*\s*$/

/** Parses the first three numbers of `1.2.3`, `v1.2` or `1.2.3-beta`. Missing ones are 0. */
export const readVersion = (value: unknown): Version | undefined => {
  const found = typeof value === 'string' || typeof value === 'number' ? VERSION.exec(String(value).trim()) : null
  return found ? [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)] : undefined
}

/** Compares two versions. Returns a negative number, 0 or a positive one, as for `sort`. */
export const compareVersions = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** A range: the first is inclusive, the second exclusive. */
export type VersionRange = readonly [Version, Version]

/** Returns the range of `~1.2.3`: up to 1.3.0, exclusive. */
export const tildeRange = (version: Version): VersionRange => [version, [version[0], version[1] + 1, 0]]

/** Returns the range of `^1.2.3`: up to 2.0.0, exclusive. The leftmost nonzero number stays. */
export const caretRange = (version: Version): VersionRange => {
  const [major, minor, patch] = version
  return [version, major ? [major + 1, 0, 0] : minor ? [0, minor + 1, 0] : [0, 0, patch + 1]]
}

/** Returns the range of `1.2.*` or `1.*`. `undefined`: another value. */
export const wildcardRange = (value: unknown): VersionRange | undefined => {
  const [, major, minor] = (typeof value === 'string' && WILDCARD.exec(value)) || []
  if (!major) return undefined
  const from = [Number(major), Number(minor ?? 0)] as const
  return [[...from, 0], minor ? [from[0], from[1] + 1, 0] : [from[0] + 1, 0, 0]]
}
