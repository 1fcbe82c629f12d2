/** Returns the names of the variables in a query, `{variables.name}`, in order and once each. */
export const variablesOf = (sql: string): readonly string[] => [
  ...new Set(Array.from(sql.matchAll(/\{\s*variables\.([A-Za-z_]\w*)\s*\}/g), ([, name]) => name!)),
]
