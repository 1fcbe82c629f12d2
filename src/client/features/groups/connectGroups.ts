import { expected } from '../../../lib/expected'
import type { Properties } from '../../../types'
import type { Client, Connection } from '../../feature'
import { toId } from '../../people/identify'

/** Methods that read and change the visitor's groups. */
export const connectGroups = ({ context, capture, mayProcess, emit }: Client): Connection => {
  const { log, store, isOptedOut } = context
  const getGroups = (): Record<string, string> => store.get('$groups') ?? {}
  /** Properties of groups that were set while the visitor was opted out, by type. */
  let unsent: Record<string, Properties | undefined> = {}
  const announce = (type: string, key: string, properties?: Properties) =>
    capture('$groupidentify', {
      $group_type: type,
      $group_key: key,
      ...(properties ? { $group_set: properties } : {}),
    })
  return {
    api: {
      group: (givenType: unknown, givenKey: unknown, properties?: Properties): void => {
        const [type, key] = [toId(givenType), toId(givenKey)]
        if (!type || !key) {
          log.error(expected('group()', 'a type and a key', [givenType, givenKey], 'Nothing changed'))
          return
        }
        if (!mayProcess('group')) return
        const isNew = getGroups()[type] !== key
        store.set({ $groups: { ...getGroups(), [type]: key }, $epp: true })
        emit((each) => each.onGroup?.({ type, isNew, properties }))
        if (isOptedOut() && (isNew || properties))
          unsent[type] = properties && { ...(isNew ? {} : unsent[type]), ...properties }
        if (isNew || properties) announce(type, key, properties)
      },
      getGroups,
      resetGroups: (): void => {
        store.set({ $groups: {} })
        emit((each) => each.onGroup?.({ isNew: true }))
      },
    },
    onReset: (): void => {
      unsent = {}
    },
    // The service may not know a group that the visitor joined while opted out, or whose event was dropped then.
    onOptIn: (): void => {
      for (const [type, key] of Object.entries(getGroups())) announce(type, key, unsent[type])
      unsent = {}
    },
  }
}
