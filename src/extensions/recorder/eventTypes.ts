// `EventType` and `IncrementalSource` of rrweb, whose enums cannot be imported as types only.

export const FULL_SNAPSHOT = 2
export const INCREMENTAL = 3
export const META = 4
export const CUSTOM = 5
export const PLUGIN = 6

/** Sources of incremental events. */
export const MUTATION = 0
export const INPUT = 5
export const STYLE_RULE = 8
export const FONT = 10
export const STYLE_DECLARATION = 13
