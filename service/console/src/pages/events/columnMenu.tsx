import { useState } from 'preact/hooks'
import { setSearch } from '../../router.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PropertyInput } from '../../ui/propertyInput.tsx'
import { type Column, columnParameter, columnTitle, FIELD_COLUMNS, formatColumn } from './columns.ts'
import styles from './events.module.css'

/** A menu of columns, stored in the URL. */
export const ColumnMenu = ({ columns }: { readonly columns: readonly Column[] }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="table" size={16} /> Columns
      </button>
      {isOpen && <ColumnDialog columns={columns} onClose={() => setOpen(false)} />}
    </>
  )
}

const show = (columns: readonly Column[]) => setSearch({ column: columnParameter(columns) })

const swap = (columns: readonly Column[], index: number): readonly Column[] =>
  columns.map((column, at) => (at === index ? columns[index - 1]! : at === index - 1 ? columns[index]! : column))

const ColumnDialog = ({ columns, onClose }: { readonly columns: readonly Column[]; readonly onClose: () => void }) => {
  const [property, setProperty] = useState('')
  const hidden = FIELD_COLUMNS.filter((each) => !columns.some((column) => formatColumn(column) === formatColumn(each)))
  const addProperty = (event: Event) => {
    event.preventDefault()
    if (!columns.some((column) => 'property' in column && column.property === property))
      show([...columns, { property }])
    setProperty('')
  }
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={() => setSearch({ column: undefined })}>
            Back to the default
          </button>
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </>
      }
    >
      <ol aria-label="Shown columns">
        {columns.map((column, index) => (
          <li key={formatColumn(column)} class={styles.chosen}>
            <bdi class="clip">{columnTitle(column)}</bdi>
            {index > 0 && (
              <IconButton
                label={`Move ${columnTitle(column)} to the front`}
                icon="up"
                onClick={() => show(swap(columns, index))}
              />
            )}
            {columns.length > 1 && (
              <IconButton
                label={`Remove ${columnTitle(column)}`}
                icon="close"
                onClick={() => show(columns.filter((each) => each !== column))}
              />
            )}
          </li>
        ))}
      </ol>
      {hidden.length > 0 && (
        <div class="row" role="group" aria-label="Hidden columns">
          {hidden.map((column) => (
            <button key={formatColumn(column)} type="button" class="button" onClick={() => show([...columns, column])}>
              <Icon name="plus" size={14} /> {columnTitle(column)}
            </button>
          ))}
        </div>
      )}
      <form class="stack" onSubmit={addProperty}>
        <PropertyInput label="Property" type="event" value={property} onChange={setProperty} />
        <div class="row">
          <button type="submit" class="button">
            Add the property
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const IconButton = ({
  label,
  icon,
  onClick,
}: {
  readonly label: string
  readonly icon: 'up' | 'close'
  readonly onClick: () => void
}) => (
  <button type="button" class="button plain icon" aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} size={16} />
  </button>
)
