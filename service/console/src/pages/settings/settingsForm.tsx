import type { ComponentChildren } from 'preact'
import { useDraft } from '../../lib/useDraft.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { toast } from '../../ui/toast.tsx'
import { SaveBar } from './saveBar.tsx'

/** A form of settings. What is written stays in this browser until it is saved, as a draft with this `name`. */
export const SettingsForm = <Draft extends object>({
  name,
  saved,
  save,
  done,
  onSaved,
  children,
}: {
  readonly name: string
  readonly saved: Draft
  readonly save: (draft: Draft) => Promise<unknown>
  /** Message shown after saving. */
  readonly done: string
  readonly onSaved: () => void
  readonly children: (draft: Draft, change: (changes: Partial<Draft>) => void) => ComponentChildren
}) => {
  const draft = useDraft(name, saved, undefined)
  const { run, isRunning, error } = useMutation(() => save(draft.value))
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    draft.discard()
    toast(done)
    onSaved()
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {children(draft.value, (changes) => draft.change({ ...draft.value, ...changes }))}
      <SaveBar draft={draft} isRunning={isRunning} error={error} />
    </form>
  )
}
