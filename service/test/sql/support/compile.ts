import { type BoundValue, checkQuery, type Compiled, compileQuery, parseQuery } from '../../../src/sql/compile.ts'

/** Checks a query like an endpoint definition, and compiles it for project 1. */
export const compile = (
  text: string,
  variables: Readonly<Record<string, BoundValue>> = {},
  page: { limit?: number; offset?: number } = {},
  projectId = 1,
): Compiled => {
  const query = parseQuery(text)
  checkQuery(query)
  return compileQuery(query, { projectId, variables, ...page })
}
