import { formatTime } from '../../lib/format.ts'
import { useProject } from '../../project.ts'
import styles from './errors.module.css'
import type { IssueEvent } from './issueApi.ts'

const RESERVED = ['$message', '$timestamp']

/** What the page did before the exception, by `addExceptionStep`. */
export const Steps = ({ steps }: { readonly steps: IssueEvent['steps'] }) => {
  const { timezone } = useProject()
  if (!steps.length) return null
  return (
    <section class="stack">
      <h2 class={styles.type}>Steps</h2>
      <ol class={styles.steps}>
        {steps.map((step, at) => {
          const when = new Date(String(step.$timestamp))
          const rest = Object.entries(step).filter(([name]) => !RESERVED.includes(name))
          return (
            <li key={at}>
              {!Number.isNaN(when.getTime()) && (
                <time class="small muted" dateTime={when.toISOString()}>
                  {formatTime(when, timezone)}
                </time>
              )}
              <bdi>{String(step.$message)}</bdi>
              {rest.length > 0 && <code class="small">{JSON.stringify(Object.fromEntries(rest))}</code>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
