import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatAgo, formatDateTime } from '../../lib/format.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './setupPage.module.css'

/** A step of the checklist. It is done once the service has received its event; its instructions fold away then. */
export const Step = ({
  number,
  title,
  about,
  doneAt,
  children,
}: {
  readonly number: number
  readonly title: string
  readonly about: string
  /** Time at which the service first received it. null: not received yet. */
  readonly doneAt: string | null
  readonly children: ComponentChildren
}) => {
  const { timezone } = useProject()
  const [isOpen, setOpen] = useState<boolean>()
  const isDone = doneAt !== null
  const isShown = isOpen ?? !isDone
  return (
    <li class={`card ${styles.step}`}>
      <span class={isDone ? `${styles.mark} ${styles.done}` : styles.mark} aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div class={styles.head}>
        <h2>{title}</h2>
        <div class="row">
          {isDone ? (
            <span class="badge good" title={formatDateTime(doneAt, timezone)}>
              Received {formatAgo(doneAt)}
            </span>
          ) : (
            <span class={`small muted ${styles.waiting}`}>
              <span class={styles.dot} aria-hidden="true" /> Waiting
            </span>
          )}
          {isDone && (
            <button type="button" class="button plain" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
              {isShown ? 'Hide the code' : 'Show the code'}
              <span class="visually-hidden"> of “{title}”</span>
            </button>
          )}
        </div>
      </div>
      {isShown && (
        <div class={`stack ${styles.body}`}>
          <p class="muted">{about}</p>
          {children}
        </div>
      )}
    </li>
  )
}
