import { expected } from '../../lib/expected'
import type { Properties } from '../../types'
import { toId } from './identify'
import type { Capture } from '../capture'
import type { Context } from '../createContext'

export interface GroupFlags {
  reload(): void
  api: {
    resetGroupPropertiesForFlags(type?: string): void
    setGroupPropertiesForFlags(properties: Record<string, Properties>): void
  }
}

/** Calls that read and change the groups of the visitor. */
export const groupsApi = (
  { log, store }: Context,
  capture: Capture,
  mayProcess: (method: string) => boolean,
  flags: GroupFlags,
) => {
  const getGroups = (): Record<string, string> => store.get('$groups') ?? {}
  return {
    group: (givenType: unknown, givenKey: unknown, properties?: Properties): void => {
      const [type, key] = [toId(givenType), toId(givenKey)]
      if (!type || !key) {
        log.error(expected('group()', 'a type and a key', [givenType, givenKey], 'Nothing changed'))
        return
      }
      if (!mayProcess('group')) return
      const isNew = getGroups()[type] !== key
      store.set({ $groups: { ...getGroups(), [type]: key }, $epp: true })
      if (isNew) {
        flags.api.resetGroupPropertiesForFlags(type)
        flags.reload()
      }
      if (properties) flags.api.setGroupPropertiesForFlags({ [type]: properties })
      if (isNew || properties)
        capture('$groupidentify', {
          $group_type: type,
          $group_key: key,
          ...(properties ? { $group_set: properties } : {}),
        })
    },
    getGroups,
    resetGroups: (): void => {
      store.set({ $groups: {} })
      flags.api.resetGroupPropertiesForFlags()
      flags.reload()
    },
  }
}
