import { type BoundValue, checkQuery, type Compiled, compileQuery, parseQuery } from '../../../src/sql/compile.ts'

/** The SQL of a query for project 1, after the checks that a definition goes through. */
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
