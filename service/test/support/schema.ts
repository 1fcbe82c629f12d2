import { SCHEMA } from '../../src/modules.ts'

/** Names of the tables with rows of projects. */
export const TABLES = SCHEMA.tables.map(({ name }) => name)

/** Names of those with rows of a person's events. */
export const EVENT_TABLES = SCHEMA.tables.flatMap(({ name, hasEvents }) => (hasEvents ? [name] : []))
