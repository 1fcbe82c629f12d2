import { downloadCsv } from '../lib/csv.ts'
import { formatNumber } from '../lib/format.ts'
import { Icon } from './icon.tsx'
import { Rows } from './rows.tsx'

export type CellValue = string | number | boolean | null

const toText = (value: CellValue): string =>
  value === null ? '–' : typeof value === 'number' ? formatNumber(value) : String(value)

/** A table of plain values, which can be downloaded as CSV. */
export const SimpleTable = ({
  caption,
  head,
  rows,
}: {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly CellValue[])[]
}) => (
  <div class="stack" style={{ gap: '0.5rem' }}>
    <div
      class="table-wrap"
      tabIndex={0}
      role="group"
      aria-label={caption}
      style={{ maxHeight: '28rem', overflow: 'auto' }}
    >
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((title, index) => (
              <th key={index} scope="col" class={rows.some((row) => typeof row[index] === 'number') ? 'end' : ''}>
                {title || <span class="visually-hidden">Name</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Rows of={rows} keyOf={(_, index) => index} columns={head.length}>
            {(row) => (
              <tr>
                {row.map((value, column) => (
                  <td key={column} class={typeof value === 'number' ? 'end' : ''}>
                    {toText(value)}
                  </td>
                ))}
              </tr>
            )}
          </Rows>
        </tbody>
      </table>
    </div>
    <div class="row">
      <button type="button" class="button" onClick={() => downloadCsv(caption, head, rows)}>
        <Icon name="download" size={16} /> CSV
      </button>
    </div>
  </div>
)
