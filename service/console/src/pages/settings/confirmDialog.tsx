import type { ComponentChildren } from 'preact'
import { useMutation } from '../../lib/useMutation.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed } from '../../ui/states.tsx'

/** Asks for confirmation before an irreversible action. If `act` fails, it stays open and shows the reason. */
export const ConfirmDialog = ({
  title,
  action,
  act,
  onDone,
  onClose,
  children,
}: {
  readonly title: string
  /** Text of the button that does it. */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const { run, isRunning, error } = useMutation(async () => {
    await act()
    return true
  })
  const submit = async () => {
    if (await run()) onDone()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button danger" disabled={isRunning} onClick={() => void submit()}>
            {action}
          </button>
        </>
      }
    >
      {children}
      {error && <Failed error={error} />}
    </Dialog>
  )
}
