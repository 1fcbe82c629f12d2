export type Fields = Record<string, unknown>
/** Returns the value if it has the expected type; undefined otherwise. */
export type Read = (value: unknown) => unknown

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isNumber = (value: unknown) => typeof value === 'number' && isFinite(value)

const number: Read = (value) => (isNumber(value) || value === null ? value : undefined)
const text: Read = (value) => (typeof value === 'string' || value === null ? value : undefined)
const flag: Read = (value) => (typeof value === 'boolean' ? value : undefined)
const listOf =
  (read: Read): Read =>
  (value) =>
    Array.isArray(value) ? value.map(read) : undefined
/** Reads an object: the listed members only. */
const objectOf =
  (members: Readonly<Record<string, Read>>): Read =>
  (value) => {
    if (!isFields(value)) return undefined
    return Object.fromEntries(
      Object.keys(members).flatMap((name) => {
        const read = members[name]!(value[name])
        return read === undefined ? [] : [[name, read]]
      }),
    )
  }
/** Reads an object with any names. */
const recordOf =
  (read: Read): Read =>
  (value) =>
    isFields(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, each]) => {
            const safe = read(each)
            return safe === undefined ? [] : [[name, safe]]
          }),
        )
      : undefined

/** The position of a rule, in nested rules of each. */
const index: Read = (value) => (Array.isArray(value) ? value.filter(isNumber) : number(value))
const rules = listOf(objectOf({ rule: text, index }))
const style = recordOf((value) =>
  Array.isArray(value) ? value.slice(0, 2).map(text) : value === false ? value : text(value),
)
const attribute: Read = (value) =>
  value === true || isNumber(value) ? value : isFields(value) ? style(value) : text(value)
export const attributes = recordOf(attribute)

const MEDIA = { currentTime: number, volume: number, muted: flag, loop: flag, playbackRate: number }

/** Readers of the ids of nodes and style sheets. */
interface Ids {
  id: Read
  styleId: Read
}

const optional =
  (read: Read): Read =>
  (value) =>
    value === undefined ? undefined : read(value)

/** Returns the readers of the members that every serialized node may have. */
export const flagsOf = ({ id }: Ids): Read =>
  objectOf({
    rootId: optional(id),
    isShadowHost: flag,
    isShadow: flag,
    isSVG: flag,
    isCustom: flag,
    needBlock: flag,
    isStyle: flag,
  })

/**
 * Returns the reader of the data of each source of incremental events. Undefined or no row: the event is dropped. Nodes
 * are not changed.
 */
export const sourcesOf = ({ id, styleId }: Ids): Readonly<Record<number, Read | undefined>> => {
  const moves = objectOf({ positions: listOf(objectOf({ id, x: number, y: number, timeOffset: number })) })
  return {
    // Mutation
    0: objectOf({
      removes: listOf(objectOf({ parentId: id, id, isShadow: flag })),
      adds: listOf(objectOf({ parentId: id, nextId: id, previousId: optional(id), node: (value) => value })),
      attributes: listOf(objectOf({ id, attributes })),
      texts: listOf(objectOf({ id, value: text })),
      isAttachIframe: flag,
    }),
    1: moves,
    2: objectOf({ type: number, id, x: number, y: number, pointerType: number }),
    3: objectOf({ id, x: number, y: number }),
    5: objectOf({ id, text, isChecked: flag, userTriggered: flag }),
    6: moves,
    7: objectOf({ type: number, id, ...MEDIA }),
    8: objectOf({
      id: optional(id),
      styleId: optional(styleId),
      adds: rules,
      removes: listOf(objectOf({ index })),
      replace: text,
      replaceSync: text,
    }),
    12: moves,
    13: objectOf({
      id: optional(id),
      styleId: optional(styleId),
      index,
      set: objectOf({ property: text, value: text, priority: text }),
      remove: objectOf({ property: text }),
    }),
    15: objectOf({
      id,
      styleIds: listOf(styleId),
      styles: listOf(objectOf({ styleId, rules })),
    }),
  }
}
