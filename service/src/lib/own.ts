/**
 * Returns what `table` has under `name`, but never what it inherits. A name from outside may be one of `Object.prototype`,
 * such as `constructor`, so every lookup by a string goes through here (`test/lookups.test.ts`).
 */
export const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Sets what `table` has under `name`, which may be `__proto__`, as in JSON. */
export const setOwn = <Value>(table: Record<string, Value>, name: string, value: Value): void => {
  if (name === '__proto__')
    Object.defineProperty(table, name, { value, enumerable: true, configurable: true, writable: true })
  else table[name] = value
}
