/** SQL that bounds the bytes of stored values before they leave the engine. */

/** Returns the SQL of a value's JSON text. Longer values become a string with their beginning. */
export const cutJson = (json: string, maxBytes: number | string): string =>
  `if(length(${json}) <= ${maxBytes}, ${json}, toJSONString(concat(leftUTF8(if(startsWith(${json}, '"'), JSONExtractString(${json}), ${json}), ${maxBytes}), '…')))`

// Half an escape, such as \\ or \\u00, at the end.
const HALF_ESCAPE = String.raw`'\\\\(?:u[0-9a-fA-F]{0,3})?$'`

/** Returns the SQL of a string, as JSON, with the beginning of a value. `json`: SQL of the beginning of the value's JSON text. */
export const cutText = (json: string): string => {
  const text = `JSONExtractString(concat(replaceRegexpOne(${json}, ${HALF_ESCAPE}, ''), '"'))`
  return `toJSONString(concat(if(startsWith(${json}, '"') AND ${text} != '', ${text}, ${json}), '…'))`
}

/** Returns the SQL of a condition that a row and those before it in `order` have at most `maxBytes` together. */
export const isWithin = (
  bytes: string,
  {
    partition,
    order,
    maxBytes,
  }: { readonly partition?: string; readonly order: string; readonly maxBytes: number | string },
): string =>
  `sum(${bytes}) OVER (${partition ? `PARTITION BY ${partition} ` : ''}ORDER BY ${order} ROWS UNBOUNDED PRECEDING) <= ${maxBytes}`
