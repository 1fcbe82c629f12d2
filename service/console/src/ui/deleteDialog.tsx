import type { ComponentChildren } from 'preact'
import { useMutation } from '../lib/useMutation.ts'
import { Dialog } from './dialog.tsx'
import { Failed } from './states.tsx'
import { toast } from './toast.tsx'

/** Asks for confirmation before deleting. `children` describe what else is deleted and what is kept. */
export const DeleteDialog = ({
  name,
  action,
  remove,
  onDeleted,
  onClose,
  children,
}: {
  /** Name of what is deleted. */
  readonly name: string
  /** Text of the button, such as `Delete the flag`. */
  readonly action: string
  readonly remove: () => Promise<unknown>
  readonly onDeleted: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const { run, isRunning, error } = useMutation(async () => {
    await remove()
    return true
  })
  const submit = async () => {
    if (!(await run())) return
    toast(`Deleted ${name}.`)
    onDeleted()
  }
  return (
    <Dialog
      title={`Delete ${name}?`}
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Keep it
          </button>
          <button type="button" class="button danger" disabled={isRunning} onClick={() => void submit()}>
            {action}
          </button>
        </>
      }
    >
      <p>{children}</p>
      {error && <Failed error={error} />}
    </Dialog>
  )
}
