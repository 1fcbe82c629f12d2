import { formatTime } from '../../lib/format.ts'
import { toText } from '../../lib/propertyText.ts'
import { useProject } from '../../project.ts'
import styles from './errors.module.css'
import type { IssueEvent } from './issueApi.ts'
import { Rows } from '../../ui/rows.tsx'

const RESERVED = ['$message', '$timestamp']

/** What the page did before the exception, by `addExceptionStep`. */
export const Steps = ({ steps }: { readonly steps: IssueEvent['steps'] }) => {
  const { timezone } = useProject()
  if (!steps.length) return null
  return (
    <section class="stack">
      <h2 class={styles.type}>Steps</h2>
      <ol class={styles.steps}>
        <Rows of={steps} keyOf={(_, at) => at}>
          {(step) => {
            const when = new Date(toText(step.$timestamp))
            const rest = Object.entries(step).filter(([name]) => !RESERVED.includes(name))
            return (
              <li>
                {!Number.isNaN(when.getTime()) && (
                  <time class="small muted" dateTime={when.toISOString()}>
                    {formatTime(when, timezone)}
                  </time>
                )}
                <bdi>{toText(step.$message)}</bdi>
                {rest.length > 0 && <code class="small">{JSON.stringify(Object.fromEntries(rest))}</code>}
              </li>
            )
          }}
        </Rows>
      </ol>
    </section>
  )
}
