import type { Person } from '../api/events.ts'
import { cutText } from './propertyText.ts'

const MAX_NAME = 100
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns the id of a person that says most: one that the site chose rather than the SDK. */
const mainId = ({ distinct_ids: ids, id }: Person): string => ids.find((each) => !UUID.test(each)) ?? ids[0] ?? id

/** Returns the name of a person: the property `name`, else `email`, else an id. */
export const personName = (person: Person): string => {
  const found = [person.properties.name, person.properties.email, mainId(person)].find(
    (each): each is string => typeof each === 'string' && each.trim() !== '',
  )
  return cutText(found!.trim(), MAX_NAME)
}
