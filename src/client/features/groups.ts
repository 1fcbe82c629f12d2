import type { Feature } from '../feature'
import { connectGroups } from '../people/groups'

/** Its methods, and what they return without it. */
export const GROUP_METHODS = {
  group: undefined,
  getGroups: {},
  resetGroups: undefined,
}

/** Groups of the visitor, such as its company. */
export const groups: Feature = { name: 'groups', methods: GROUP_METHODS, connect: connectGroups }
