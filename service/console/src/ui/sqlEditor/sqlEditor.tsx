import { type RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { loadCode } from '../../lib/loadCode.ts'
import type { SqlNames } from './completions.ts'
import type { Editor } from './createEditor.ts'
import { countLines } from './countLines.ts'
import type { SqlProblem } from './problem.ts'
import styles from './sqlEditor.module.css'

const NOTHING = () => {}
const NO_PROBLEMS: readonly SqlProblem[] = []

/** An editor of SQL with completions. Its code is loaded when it is first shown. */
export const SqlEditor = ({
  label,
  value,
  names,
  problems = NO_PROBLEMS,
  isReadOnly = false,
  editor,
  onChange = NOTHING,
  onRun = NOTHING,
}: {
  readonly label: string
  readonly value: string
  readonly names?: SqlNames | undefined
  /** Places to mark. */
  readonly problems?: readonly SqlProblem[]
  readonly isReadOnly?: boolean
  /** Gets the editor once it is loaded, to move its cursor. */
  readonly editor?: RefObject<Editor | null>
  readonly onChange?: (text: string) => void
  /** Called by Ctrl-Enter or Cmd-Enter. */
  readonly onRun?: () => void
}) => {
  const host = useRef<HTMLDivElement>(null)
  const own = useRef<Editor>(null)
  // Texts of the editor that the parent has not passed back as `value` yet, which lags behind while a person types.
  const typed = useRef<string[]>([])
  const latest = useRef({ value, names, problems, onChange, onRun })
  latest.current = { value, names, problems, onChange, onRun }

  useEffect(() => {
    let isOver = false
    void loadCode(
      () => import('./createEditor.ts'),
      () => !isOver,
    ).then(({ createEditor }) => {
      if (isOver || !host.current) return
      own.current = createEditor({
        host: host.current,
        label,
        text: latest.current.value,
        isReadOnly,
        names: () => latest.current.names,
        onChange: (text) => {
          typed.current.push(text)
          latest.current.onChange(text)
        },
        onRun: () => latest.current.onRun(),
      })
      own.current.setProblems(latest.current.problems)
      if (editor) editor.current = own.current
    })
    return () => {
      isOver = true
      own.current?.destroy()
      own.current = null
    }
  }, [label, isReadOnly])
  useEffect(() => {
    const at = typed.current.indexOf(value)
    typed.current.splice(0, at < 0 ? typed.current.length : at + 1)
    if (at < 0) own.current?.setText(value)
  }, [value])
  useEffect(() => own.current?.setProblems(problems), [problems])
  return <div ref={host} class={styles.editor} style={{ '--lines': countLines(value) }} />
}
