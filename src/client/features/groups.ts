import type { Feature } from '../feature'
import { groupsApi } from '../people/groups'

/** Groups of the visitor, such as its company. */
export const groups: Feature = { name: 'groups', connect: (client) => ({ api: groupsApi(client) }) }
