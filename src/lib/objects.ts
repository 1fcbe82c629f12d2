/** Returns an object with the entries for which `isWanted` is true. */
export const pick = <V>(
  object: Readonly<Record<string, V>>,
  isWanted: (name: string, value: V) => unknown,
): Record<string, V> => Object.fromEntries(Object.entries(object).filter(([name, value]) => isWanted(name, value)))

/** Whether the object itself has this property. The oldest supported browsers have no `Object.hasOwn`. */
export const has = (object: object, name: PropertyKey): boolean => Object.prototype.hasOwnProperty.call(object, name)

/** Returns the object's own value under `name`; undefined if only a prototype has one. */
export const own = <V>(object: Readonly<Record<string, V>>, name: string): V | undefined =>
  has(object, name) ? object[name] : undefined

/** Returns an object with these names and the values that `valueOf` returns for them. */
export const objectOf = <V>(names: readonly string[], valueOf: (name: string) => V): Record<string, V> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)]))
