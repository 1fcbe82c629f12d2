import { api, ask } from '../../api/client.ts'
import type { ApiEvent } from '../../api/events.ts'
import type { Filter } from '../../lib/filters.ts'
import { cutText } from '../../lib/propertyText.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { setSearch } from '../../router.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EventDetails } from '../../ui/eventDetails.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Load } from '../../ui/states.tsx'

const MAX_TITLE = 100
const show = (id: string | undefined, options?: { readonly replace: boolean }) => setSearch({ open: id }, options)

/** The details of one event of the table, which a link can open too. Leads to the newer and older ones. */
export const EventDialog = ({
  id,
  events,
  onFilter,
}: {
  readonly id: string
  readonly events: readonly ApiEvent[]
  readonly onFilter: (filter: Filter) => void
}) => {
  const { id: projectId } = useProject()
  const index = events.findIndex(({ uuid }) => uuid === id)
  const inList = events[index]
  const loaded = useLoad(inList ? undefined : `event ${projectId} ${id}`, ({ signal }) =>
    ask(
      api.GET('/api/projects/{projectId}/events/{id}', {
        params: { path: { projectId: String(projectId), id } },
        signal,
      }),
    ),
  )
  const event = inList ?? loaded.data
  return (
    <Dialog
      title={event ? cutText(event.event, MAX_TITLE) : 'Event'}
      isWide
      onClose={() => show(undefined)}
      foot={
        inList && (
          <>
            <Step label="Newer" icon="left" to={events[index - 1]} />
            <Step label="Older" icon="right" to={events[index + 1]} />
          </>
        )
      }
    >
      {inList ? (
        <EventDetails key={id} event={inList} onFilter={onFilter} />
      ) : (
        <Load of={loaded}>{(data) => <EventDetails event={data} onFilter={onFilter} />}</Load>
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
  readonly to: ApiEvent | undefined
}) => (
  // Not `disabled`: the focus would be lost at the last event.
  <button type="button" class="button" aria-disabled={!to} onClick={() => to && show(to.uuid, { replace: true })}>
    <Icon name={icon} size={16} /> {label}
  </button>
)
