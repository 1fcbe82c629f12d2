import type { ComponentChildren } from 'preact'
import { Rows } from './rows.tsx'

export interface Column<Row> {
  readonly key: string
  readonly title: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** Whether the cells are numbers, which are aligned right. */
  readonly isNumber?: boolean
  readonly isSortable?: boolean
}

export interface Sort {
  readonly key: string
  readonly isDescending: boolean
}

const ariaSort = (sort: Sort | undefined, key: string) =>
  sort?.key === key ? (sort.isDescending ? 'descending' : 'ascending') : 'none'

/** A table with a caption for screen readers and sortable columns. */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  onSort,
}: {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row, index: number) => string | number
  readonly sort?: Sort | undefined
  readonly onSort?: (sort: Sort) => void
}) => (
  <div class="table-wrap" tabIndex={0} role="group" aria-label={caption}>
    <table class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumber, isSortable }) => (
            <th
              key={key}
              scope="col"
              class={isNumber ? 'end' : ''}
              {...(isSortable ? { 'aria-sort': ariaSort(sort, key) } : {})}
            >
              {isSortable ? (
                <button
                  type="button"
                  onClick={() => onSort?.({ key, isDescending: sort?.key === key ? !sort.isDescending : true })}
                >
                  {title}
                  <span aria-hidden="true">{sort?.key === key ? (sort.isDescending ? '▾' : '▴') : ''}</span>
                </button>
              ) : (
                title
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Rows of={rows} keyOf={rowKey} columns={columns.length}>
          {(row) => (
            <tr>
              {columns.map(({ key, cell, isNumber }) => (
                <td key={key} class={isNumber ? 'end' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          )}
        </Rows>
      </tbody>
    </table>
  </div>
)
