import type { Stage } from '../stage'

/** Drops an event whose name is not a string. The protocol accepts an empty name (docs/reference/protocol.md#5.1). */
export const requireName: Stage = (event) => (typeof event.event === 'string' ? event : { drop: 'invalid_name' })
