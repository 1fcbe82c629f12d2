/** Maximum bytes of a property of a person or group, as JSON. Longer values are rejected, and not read where they are stored already. */
export const MAX_VALUE_BYTES = 64 * 1024
/** Maximum bytes of all properties of persons and groups that one event sets, with their names. */
export const MAX_CHANGE_BYTES = 256 * 1024

/** Returns the SQL of a value's JSON text. Without a value that is too long, the person or group has none. */
export const boundedJson = (json: string): string => `if(length(${json}) <= ${MAX_VALUE_BYTES}, ${json}, 'null')`
