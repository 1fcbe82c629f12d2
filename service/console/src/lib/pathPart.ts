/** Returns a text as one segment of a path. Lone surrogates, which cannot be encoded, become replacement characters. */
export const pathPart = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
