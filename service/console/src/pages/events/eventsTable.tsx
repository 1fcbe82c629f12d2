import { useMemo, useRef } from 'preact/hooks'
import type { ApiEvent } from '../../api/events.ts'
import { formatDateTime } from '../../lib/format.ts'
import { cutText, toText } from '../../lib/propertyText.ts'
import { maskProperty } from '../../lib/sensitive.ts'
import { useVirtualRows } from '../../lib/useVirtualRows.ts'
import { useLink, useProject } from '../../project.ts'
import { openEvent } from '../../ui/eventDialog.tsx'
import { type Column, columnTitle, type Field, formatColumn } from './columns.ts'
import styles from './events.module.css'
import { Rows } from '../../ui/rows.tsx'

/** Height of a row in px, as in events.module.css. */
const ROW = 40
const MAX_CELL = 200

/** The table of events. The name of an event opens its details. */
export const EventsTable = ({
  events,
  columns,
}: {
  readonly events: readonly ApiEvent[]
  readonly columns: readonly Column[]
}) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const heights = useMemo(() => events.map(() => ROW), [events.length])
  const { from, to, before, after } = useVirtualRows(body, heights)
  const shown = columns.some((column) => 'field' in column && column.field === 'event')
    ? columns
    : // Without it nothing would open the details.
      [{ field: 'event' } as const, ...columns]
  return (
    <div class="table-wrap" tabIndex={0} role="group" aria-label="Events">
      <table class={`table ${styles.events}`} aria-rowcount={events.length + 1}>
        <caption class="visually-hidden">Events, newest first</caption>
        <thead>
          <tr aria-rowindex={1}>
            {shown.map((column) => (
              <th key={formatColumn(column)} scope="col" title={'property' in column ? column.property : undefined}>
                <bdi>{cutText(columnTitle(column), MAX_CELL)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Space height={before} />
          <Rows of={events.slice(from, to)} keyOf={({ uuid }) => uuid} columns={shown.length}>
            {(event, index) => (
              <tr aria-rowindex={from + index + 2}>
                {shown.map((column) => (
                  <td key={formatColumn(column)}>
                    <Cell column={column} event={event} />
                  </td>
                ))}
              </tr>
            )}
          </Rows>
          <Space height={after} />
        </tbody>
      </table>
    </div>
  )
}

/** Takes the height of rows that are not rendered. */
const Space = ({ height }: { readonly height: number }) =>
  height > 0 ? (
    <tr aria-hidden="true">
      <td class={styles.space} style={{ height: `${height}px` }} />
    </tr>
  ) : null

const Cell = ({ column, event }: { readonly column: Column; readonly event: ApiEvent }) => {
  if ('field' in column) return <FieldCell field={column.field} event={event} />
  const { property } = column
  if (!Object.hasOwn(event.properties, property)) return <span class="muted">–</span>
  const text = toText(maskProperty(property, event.properties[property]))
  return (
    <bdi class="clip" title={cutText(text)}>
      {cutText(text, MAX_CELL)}
    </bdi>
  )
}

const FieldCell = ({ field, event }: { readonly field: Field; readonly event: ApiEvent }) => {
  const { timezone } = useProject()
  const link = useLink()
  const text = cutText(event[field === 'person' ? 'distinct_id' : field], MAX_CELL)
  if (field === 'event')
    return (
      <button type="button" class={`clip ${styles.name}`} onClick={() => openEvent(event.uuid)}>
        <bdi>{text || '(no name)'}</bdi>
      </button>
    )
  if (field === 'person')
    return (
      <a class="clip" href={link(`people/${event.person_id}`)}>
        <bdi>{text}</bdi>
      </a>
    )
  if (field === 'timestamp' || field === 'created_at')
    return <time dateTime={event[field]}>{formatDateTime(event[field], timezone)}</time>
  return <bdi class="mono clip">{text}</bdi>
}
