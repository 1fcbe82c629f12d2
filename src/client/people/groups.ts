import { expected } from '../../lib/expected'
import type { Properties } from '../../types'
import { toId } from './identify'
import type { Client } from '../feature'

/** Methods that read and change the visitor's groups. */
export const groupsApi = ({ context: { log, store }, capture, mayProcess, emit }: Client) => {
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
      emit('onGroup', { type, isNew, properties })
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
      emit('onGroup', { isNew: true })
    },
  }
}
