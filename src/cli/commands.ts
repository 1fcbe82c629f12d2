import type { Command } from './io'

/** The commands, by name. Each is a file in `commands/`, which is imported when it runs. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  plan: {
    summary: 'Check events against the plan',
    run: async (...call) => (await import('./commands/plan')).run(...call),
  },
  types: {
    summary: 'Write the types of events and endpoints',
    run: async (...call) => (await import('./commands/types')).run(...call),
  },
}
