/** The object with the entries that `isWanted`. */
export const pick = <V>(
  object: Readonly<Record<string, V>>,
  isWanted: (name: string, value: V) => unknown,
): Record<string, V> => Object.fromEntries(Object.entries(object).filter(([name, value]) => isWanted(name, value)))

/** Whether the object itself has this property, its prototypes aside. `Object.hasOwn` is younger than the oldest browsers served. */
export const has = (object: object, name: PropertyKey): boolean => Object.prototype.hasOwnProperty.call(object, name)

/** The object's own value under `name`; undefined where only a prototype has one. */
export const own = <V>(object: Readonly<Record<string, V>>, name: string): V | undefined =>
  has(object, name) ? object[name] : undefined

/** An object of these names, each with what `valueOf` gives it. */
export const objectOf = <V>(names: readonly string[], valueOf: (name: string) => V): Record<string, V> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)]))
