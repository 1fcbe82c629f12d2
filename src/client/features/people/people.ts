import { mergeSets } from '../../../delivery/mergeSets'
import type { Feature } from '../../feature'
import { connectPeople } from '../../people/people'
import { PEOPLE_METHODS } from './methods'

/** Identifies visitors, and sets properties of persons. */
export const people: Feature = {
  name: 'people',
  methods: PEOPLE_METHODS,
  provides: { mergeSets },
  connect: connectPeople,
}
