import type { Feature } from '../feature'
import { connectGroups } from '../people/groups'

/** Groups of the visitor, such as its company. */
export const groups: Feature = { name: 'groups', connect: connectGroups }
