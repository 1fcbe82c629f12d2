/** A program that tests need, and how to get it. */
export interface Program {
  names: readonly string[]
  /** Environment variable that sets a path. */
  variable: string
  /** Name of the Debian package. */
  debian: string
  /** Advice for other systems. */
  advice: string
  files?: readonly string[]
  bundled?(): string
}
export function findProgram(program: Program, say?: (line: string) => void): string
