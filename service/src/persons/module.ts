import type { Module } from '../module.ts'
import { createPersons } from './lookup.ts'
import { PERSON_ROUTES, type PersonParts } from './routes.ts'

/** Persons and their merges. */
export const PEOPLE: Module<PersonParts> = {
  create: ({ gate }) => ({ persons: createPersons(gate.runs) }),
  routes: PERSON_ROUTES,
}
