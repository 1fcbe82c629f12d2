import type { Command } from './io'

/** The commands, by name. Each is a file in `commands/`, which is imported when it runs. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  check: {
    summary: 'Look for mistakes in a page that uses the SDK',
    run: async (...call) => (await import('./commands/check')).run(...call),
  },
  init: {
    summary: 'Add the SDK to a project',
    run: async (...call) => (await import('./commands/init')).run(...call),
  },
  migrate: {
    summary: 'Change code from posthog-js to the SDK',
    run: async (...call) => (await import('./commands/migrate')).run(...call),
  },
  plan: {
    summary: 'Check events against the plan',
    run: async (...call) => (await import('./commands/plan')).run(...call),
  },
  types: {
    summary: 'Write the types of events and endpoints',
    run: async (...call) => (await import('./commands/types')).run(...call),
  },
}
