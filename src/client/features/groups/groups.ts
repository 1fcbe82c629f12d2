import type { Feature } from '../../feature'
import { connectGroups } from './connectGroups'
import { GROUP_METHODS } from './methods'

/** Groups of the visitor, such as its company. */
export const groups: Feature = { name: 'groups', methods: GROUP_METHODS, connect: connectGroups }
