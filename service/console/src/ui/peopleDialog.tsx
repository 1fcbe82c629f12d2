import { useState } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { inProjectWithId } from '../api/inProject.ts'
import { personName } from '../lib/personName.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useQuery } from '../lib/useQuery.ts'
import { useLink, useProject } from '../project.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import { Load, Progress } from './states.tsx'
import { Rows } from './rows.tsx'

const STEP = 20
const MAX = 1_000

/** A group of people to choose, such as the people of a line. `source` of `ActorsQuery`. */
export interface PeopleSource {
  readonly label: string
  readonly source: Readonly<Record<string, unknown>>
}

type Row = readonly [actor: { readonly id: string }, count: number]

/** Lists the people behind a number of an insight, with links to them. */
export const PeopleDialog = ({
  title,
  sources,
  countName,
  onClose,
}: {
  readonly title: string
  readonly sources: readonly PeopleSource[]
  /** Name of the count that is shown for each person. Absent: no counts are shown. */
  readonly countName?: string
  readonly onClose: () => void
}) => {
  const [chosen, setChosen] = useState(0)
  const [limit, setLimit] = useState(STEP)
  const loaded = useQuery({ kind: 'ActorsQuery', source: sources[chosen]!.source, limit })
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {sources.length > 1 && (
          <Field label="Line">
            {(attributes) => (
              <select
                {...attributes}
                class="input"
                value={chosen}
                onChange={(event) => {
                  setChosen(event.currentTarget.selectedIndex)
                  setLimit(STEP)
                }}
              >
                {sources.map(({ label }, index) => (
                  <option key={index} value={index}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
        <Load of={loaded}>
          {({ results, hasMore }) => (
            <>
              <PeopleTable title={title} rows={results as readonly Row[]} countName={countName} />
              <RecordingsLink rows={results as readonly Row[]} />
              {hasMore && limit < MAX && (
                <button type="button" class="button" onClick={() => setLimit(limit + 2 * STEP)}>
                  Show more
                </button>
              )}
            </>
          )}
        </Load>
      </div>
    </Dialog>
  )
}

const PeopleTable = ({
  title,
  rows,
  countName,
}: {
  readonly title: string
  readonly rows: readonly Row[]
  readonly countName: string | undefined
}) => {
  if (rows.length === 0) return <p class="muted">Nobody.</p>
  return (
    <table class="table">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Person</th>
          {countName && (
            <th scope="col" class="end">
              {countName}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        <Rows of={rows} keyOf={([{ id }]) => id} columns={2}>
          {([{ id }, count]) => (
            <tr>
              <td>
                <PersonLink id={id} />
              </td>
              {countName && <td class="end">{count}</td>}
            </tr>
          )}
        </Rows>
      </tbody>
    </table>
  )
}

const MAX_LINKED = 100

/** A link to the recordings of the listed people. */
const RecordingsLink = ({ rows }: { readonly rows: readonly Row[] }) => {
  const link = useLink()
  const ids = rows.slice(0, MAX_LINKED).map(([{ id }]) => id)
  if (!ids.length) return null
  return (
    <div class="row">
      <a class="button" href={link('recordings', { person: ids.join(','), period: '30d' })}>
        <Icon name="recordings" size={16} /> Recordings of{' '}
        {ids.length === 1 ? 'this person' : `these ${ids.length} people`}
      </a>
    </div>
  )
}

const PersonLink = ({ id }: { readonly id: string }) => {
  const project = useProject()
  const link = useLink()
  const { data } = useLoad(`person ${project.id} ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/persons/{id}', { params: inProjectWithId(project.id, id), signal })),
  )
  return (
    <a class="clip" href={link(`people/${id}`)}>
      {data ? personName(data) : id}
    </a>
  )
}
