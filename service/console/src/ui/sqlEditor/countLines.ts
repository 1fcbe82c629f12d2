/** Returns the number of lines of a text: what an editor of it needs before its code is loaded. */
export const countLines = (text: string): number => text.split('\n').length
