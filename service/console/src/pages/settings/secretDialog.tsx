import { Code } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows a new secret, once. */
export const SecretDialog = ({
  title,
  secret,
  onClose,
}: {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
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
  </Dialog>
)
