/** The object with the entries that `isWanted`. */
export const pick = <V>(
  object: Readonly<Record<string, V>>,
  isWanted: (name: string, value: V) => unknown,
): Record<string, V> => Object.fromEntries(Object.entries(object).filter(([name, value]) => isWanted(name, value)))

/** An object of these names, each with what `valueOf` gives it. */
export const objectOf = <V>(names: readonly string[], valueOf: (name: string) => V): Record<string, V> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)]))
