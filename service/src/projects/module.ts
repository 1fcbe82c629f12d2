import type { Module } from '../module.ts'
import type { Keys } from './keys.ts'
import { createProjects } from './projects.ts'
import { KEY_ROUTES, type KeyParts } from './routes/keys.ts'
import { PROJECT_ROUTES, type ProjectParts } from './routes/projects.ts'
import { SETUP_ROUTES, type SetupParts } from './routes/setup.ts'
import { createSetup, type Setup } from './setup.ts'

type Parts = ProjectParts & SetupParts & KeyParts & { readonly setup: Setup; readonly keys: Keys }

/** Projects, their keys, and the steps of setting one up. */
export const PROJECTS: Module<Parts> = {
  create: ({ gate, metadata, keys }) => ({
    projects: createProjects(metadata),
    setup: createSetup({ storage: gate.runs, metadata }),
    keys,
  }),
  routes: [...PROJECT_ROUTES, ...SETUP_ROUTES, ...KEY_ROUTES],
}
