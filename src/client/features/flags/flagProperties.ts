import { toJson } from '../../../lib/json'
import { objectOf, own } from '../../../lib/objects'
import type { Properties } from '../../../types'
import type { Context } from '../../createContext'

type ByType = Record<string, Properties>

/** Person and group properties that are sent with flag requests, for when the service has not stored them yet. */
export const flagProperties = ({ store, toProperties }: Context, reload: () => void) => {
  /** Stores `changes` under `name`, and requests flags if they changed anything and `mayReload`. */
  const saveAndReload = (name: string, changes: Properties, mayReload: boolean) => {
    const known = store.get<Properties>(name) ?? {}
    const next = { ...known, ...changes }
    if (toJson(next) === toJson(known)) return
    store.set({ [name]: next })
    if (mayReload) reload()
  }
  return {
    setPersonPropertiesForFlags: (properties: Properties, mayReload = true): void => {
      const changes = toProperties(properties)
      const { $set, $set_once } = changes as { $set?: Properties; $set_once?: Properties }
      const known = store.get<Properties>('$stored_person_properties')
      saveAndReload(
        '$stored_person_properties',
        $set || $set_once ? { ...$set_once, ...known, ...$set } : changes,
        mayReload,
      )
    },
    resetPersonPropertiesForFlags: (mayReload = true): void => {
      store.set({ $stored_person_properties: undefined })
      if (mayReload) reload()
    },
    setGroupPropertiesForFlags: (changes: ByType, mayReload = true): void => {
      const known = store.get<ByType>('$stored_group_properties') ?? {}
      const byType = toProperties(changes) as ByType
      saveAndReload(
        '$stored_group_properties',
        objectOf(Object.keys(byType), (type) => ({ ...own(known, type), ...byType[type] })),
        mayReload,
      )
    },
    resetGroupPropertiesForFlags: (type?: string): void =>
      store.set({
        $stored_group_properties: type ? { ...store.get<ByType>('$stored_group_properties'), [type]: {} } : undefined,
      }),
  }
}
