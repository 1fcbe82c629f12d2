const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** Parses a duration such as `90s`, `30m`, `24h` or `7d` to seconds. `undefined`: invalid. */
export const toSeconds = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * SECONDS[unit as keyof typeof SECONDS]
}
