import { api, dataOf } from '../api/client.ts'
import type { ApiEvent } from '../api/events.ts'
import type { Filter } from '../lib/filters.ts'
import { cutText } from '../lib/propertyText.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'
import { setSearch } from '../router.ts'
import { Dialog } from './dialog.tsx'
import { EventDetails } from './eventDetails.tsx'
import { Icon } from './icon.tsx'
import { Load } from './states.tsx'

const MAX_TITLE = 100

/** Opens the details of an event, or closes them. The URL has its uuid as the query parameter `open`. */
export const openEvent = (uuid: string | undefined, options?: { readonly replace: boolean }): void =>
  setSearch({ open: uuid }, options)

/** The details of one event of a list. Its buttons lead to the newer and older ones. */
export const EventDialog = ({
  uuid,
  list,
  event: known,
  onFilter,
}: {
  readonly uuid: string
  /** The events of the list, newest first. */
  readonly list: readonly { readonly uuid: string }[]
  /** The event if the list has its properties. Otherwise it is loaded. */
  readonly event?: ApiEvent | undefined
  readonly onFilter: (filter: Filter) => void
}) => {
  const { id } = useProject()
  const index = list.findIndex((each) => each.uuid === uuid)
  const loaded = useLoad(known ? undefined : `event ${id} ${uuid}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/events/{id}', {
        params: { path: { projectId: String(id), id: uuid } },
        signal,
      }),
    ),
  )
  const event = known ?? loaded.data
  return (
    <Dialog
      title={event ? cutText(event.event, MAX_TITLE) : 'Event'}
      isWide
      onClose={() => openEvent(undefined)}
      foot={
        index >= 0 && (
          <>
            <Step label="Newer" icon="left" to={list[index - 1]} />
            <Step label="Older" icon="right" to={list[index + 1]} />
          </>
        )
      }
    >
      {known ? (
        <EventDetails key={uuid} event={known} onFilter={onFilter} />
      ) : (
        <Load of={loaded}>{(data) => <EventDetails key={uuid} event={data} onFilter={onFilter} />}</Load>
      )}
    </Dialog>
  )
}

const Step = ({
  label,
  icon,
  to,
}: {
  readonly label: string
  readonly icon: 'left' | 'right'
  readonly to: { readonly uuid: string } | undefined
}) => (
  // Not `disabled`: the focus would be lost at the last event.
  <button type="button" class="button" aria-disabled={!to} onClick={() => to && openEvent(to.uuid, { replace: true })}>
    <Icon name={icon} size={16} /> {label}
  </button>
)
