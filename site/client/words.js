/** Returns the words of a text as the search compares them. */
export const wordsOf = (text) =>
  (text.toLowerCase().match(/[$\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? []).filter(
    (word) => word.length > 1 && word.length < 40 && !/^\d+$/.test(word),
  )
