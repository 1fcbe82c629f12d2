import type { Stage } from '../stage'

/** An event without a name that is text is none. The empty name is one: the protocol takes it (docs/reference/protocol.md#5.1). */
export const requireName: Stage = (event) => (typeof event.event === 'string' ? event : { drop: 'invalid_name' })
