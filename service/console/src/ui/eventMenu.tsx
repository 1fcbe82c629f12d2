import { useState } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { formatCompact, formatWhole } from '../lib/format.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'
import styles from './eventMenu.module.css'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'

const MAX_CHOICES = 50

interface EventMenuProps {
  /** Chosen names. Empty: all events. */
  readonly names: readonly string[]
  /** Whether several can be chosen. */
  readonly isMany?: boolean
  readonly onChange: (names: readonly string[]) => void
}

/** The choice of events by their names, most frequent first. Any name can be typed. */
export const EventMenu = (props: EventMenuProps) => {
  const { names } = props
  const text = names.length === 0 ? 'All events' : names.length === 1 ? names[0] : `${names.length} events`
  return (
    <Menu
      button={
        <>
          <bdi class={`clip ${styles.chosen}`} title={names.join(', ')}>
            {text}
          </bdi>{' '}
          <Icon name="down" size={14} />
        </>
      }
      fromLeft
    >
      {(close) => <Choices {...props} onDone={close} />}
    </Menu>
  )
}

const Choices = ({ names, isMany = false, onChange, onDone }: EventMenuProps & { readonly onDone: () => void }) => {
  const { id } = useProject()
  const [typed, setTyped] = useState('')
  const known = useLoad(`event names ${id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/event_definitions', { params: { path: { projectId: String(id) } }, signal }),
    ),
  )
  const counts = new Map(known.data?.results.map(({ name, count }) => [name, count]))
  const found = [...new Set([...names, ...counts.keys(), ...(typed ? [typed] : [])])]
    .filter((name) => name.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, MAX_CHOICES)
  const choose = (name: string) => {
    if (!isMany) {
      onChange([name])
      return onDone()
    }
    onChange(names.includes(name) ? names.filter((each) => each !== name) : [...names, name])
  }
  return (
    <div class={styles.choices}>
      <input
        class="input"
        aria-label="Find an event"
        placeholder="Find an event"
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button
        type="button"
        onClick={() => {
          onChange([])
          onDone()
        }}
      >
        All events
      </button>
      {found.map((name) => (
        <button
          key={name}
          type="button"
          role={isMany ? 'checkbox' : undefined}
          aria-checked={isMany ? names.includes(name) : undefined}
          aria-pressed={isMany ? undefined : names.includes(name)}
          onClick={() => choose(name)}
        >
          <bdi class="clip">{name}</bdi>
          <span class="row muted small">
            {names.includes(name) && <Icon name="check" size={14} />}
            <span title={`${formatWhole(counts.get(name) ?? 0)} in ${known.data?.days ?? 30} days`}>
              {counts.has(name) ? formatCompact(counts.get(name)!) : 'as typed'}
            </span>
          </span>
        </button>
      ))}
    </div>
  )
}
