import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { toast } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'
import { GraceField } from './graceField.tsx'
import type { Key } from './key.ts'
import { SecretDialog } from './secretDialog.tsx'

/** Rolls or revokes a key. */
export const KeyActions = ({
  apiKey: { id, label },
  isOwn,
  onChanged,
}: {
  readonly apiKey: Key
  /** Whether it is the key of this session. */
  readonly isOwn: boolean
  readonly onChanged: () => void
}) => {
  const [dialog, setDialog] = useState<'roll' | 'revoke'>()
  const [seconds, setSeconds] = useState(0)
  const [secret, setSecret] = useState<string>()
  const params = { path: { id } }
  const close = () => setDialog(undefined)
  return (
    <>
      <div class="row" style={{ flexWrap: 'nowrap', justifyContent: 'flex-end' }}>
        <button
          type="button"
          class="button"
          aria-label={`Replace the secret of ${label}`}
          onClick={() => setDialog('roll')}
        >
          Replace
        </button>
        <button type="button" class="button danger" aria-label={`Revoke ${label}`} onClick={() => setDialog('revoke')}>
          Revoke
        </button>
      </div>
      {dialog === 'roll' && (
        <ConfirmDialog
          title={`Replace the secret of ${label}?`}
          action="Replace the secret"
          act={async () => {
            const body = { grace_seconds: seconds }
            setSecret((await dataOf(api.POST('/api/personal_api_keys/{id}/roll', { params, body }))).value)
          }}
          onDone={close}
          onClose={close}
        >
          <p>The key keeps its label and scopes and gets a new secret, which is shown once.</p>
          {isOwn && <p class="notice warning">You are signed in with this key: you must sign in again afterwards.</p>}
          <GraceField label="The old secret is accepted" value={seconds} onChange={setSeconds} />
        </ConfirmDialog>
      )}
      {dialog === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${label}?`}
          action="Revoke the key"
          act={() => dataOf(api.DELETE('/api/personal_api_keys/{id}', { params }))}
          onDone={() => {
            close()
            toast(`The key ${label} is revoked.`)
            onChanged()
          }}
          onClose={close}
        >
          <p>Programs and sessions with this key are rejected at once, and run tokens that it created are, too.</p>
          {isOwn && <p class="notice warning">You are signed in with this key: this ends your session.</p>}
        </ConfirmDialog>
      )}
      {secret && (
        <SecretDialog
          title={`New secret of ${label}`}
          secret={secret}
          onClose={() => {
            setSecret(undefined)
            onChanged()
          }}
        />
      )}
    </>
  )
}
