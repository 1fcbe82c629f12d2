import { createInterface } from 'node:readline/promises'
import type { Io } from './io'

/** Terminal of a command. Tests pass their own. */
export interface Terminal {
  /** Whether somebody can answer questions. */
  isInteractive: boolean
  hasColors: boolean
  ask(question: string): Promise<string>
}

/** Returns the terminal of this process. Nobody answers in CI. */
export const terminalOf = ({ env }: Io): Terminal => ({
  isInteractive: Boolean(process.stdin.isTTY && process.stdout.isTTY && !env.CI),
  hasColors: Boolean(process.stdout.isTTY && !env.NO_COLOR),
  ask: async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    try {
      return (await lines.question(question)).trim()
    } finally {
      lines.close()
    }
  },
})
