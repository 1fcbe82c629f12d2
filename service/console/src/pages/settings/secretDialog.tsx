import type { ComponentChildren } from 'preact'
import { Code } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows a new secret, once. `children`: how it is used. */
export const SecretDialog = ({
  title,
  secret,
  onClose,
  children,
}: {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}) => (
  <Dialog
    title={title}
    onClose={onClose}
    foot={
      <button type="button" class="button primary" onClick={onClose}>
        I have copied it
      </button>
    }
  >
    <p class="notice warning">Copy the key now. It is not stored in readable form, and cannot be shown again.</p>
    <Code label="Personal API key" text={secret} wraps />
    {children}
  </Dialog>
)
