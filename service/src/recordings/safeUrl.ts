const IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]/i

/** Returns whether a data URL contains an image. */
export const isImageUrl = (value: string): boolean => IMAGE.test(value)

const FONT = /^data:(?:font\/|application\/(?:x-)?font)[\w-]*[;,]/i

/** Returns whether a data URL contains a font. */
export const isFontUrl = (value: string): boolean => FONT.test(value)

/** Whether a URL loads nothing: it is an image in itself, or a part of the document. */
export const isSafeUrl = (value: string): boolean => isImageUrl(value.trimStart()) || value.startsWith('#')
