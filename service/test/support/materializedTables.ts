/** Returns the names of the tables of materialized endpoints, in order. `ask` runs SQL on the engine. */
export const materializedTables = async (ask: (sql: string) => Promise<readonly (readonly unknown[])[]>) => {
  const rows = await ask("SELECT name FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_')")
  return [...new Set(rows.map(([name]) => String(name)))].sort()
}
