import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { toast } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'

/** Revokes run tokens. They are signed, not stored, so there is no list of them. */
export const RunTokens = () => {
  const { id } = useProject()
  const [tokenId, setTokenId] = useState('')
  const [isRevoking, setRevoking] = useState(false)
  const { run, isRunning, error } = useMutation(async () => {
    await dataOf(
      api.DELETE('/api/projects/{projectId}/endpoints/run_tokens/{id}', {
        params: inProjectWithId(id, tokenId.trim()),
      }),
    )
    return true
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    toast('The run token is revoked.')
    setTokenId('')
  }
  return (
    <Card
      title="Run tokens"
      actions={
        <button type="button" class="button danger" onClick={() => setRevoking(true)}>
          Revoke all
        </button>
      }
    >
      <p class="muted" style={{ marginBottom: '0.75rem' }}>
        Pages run endpoints with run tokens that your backend creates. They are signed and not stored, so there is no
        list of them.
      </p>
      <form class="stack" style={{ maxWidth: '30rem' }} onSubmit={(event) => void submit(event)}>
        <TextInput
          label="Revoke one by its id"
          error={error?.message}
          isCode
          isRequired
          value={tokenId}
          onChange={setTokenId}
        />
        <div class="row">
          <button type="submit" class="button" disabled={isRunning}>
            Revoke this token
          </button>
        </div>
      </form>
      {isRevoking && (
        <ConfirmDialog
          title="Revoke all run tokens?"
          action="Revoke all"
          act={() =>
            dataOf(
              api.POST('/api/projects/{projectId}/endpoints/run_tokens/revoke_all', {
                params: inProject(id),
                body: {},
              }),
            )
          }
          onDone={() => {
            setRevoking(false)
            toast('All run tokens are revoked.')
          }}
          onClose={() => setRevoking(false)}
        >
          <p>Every page that runs endpoints needs a new token from your backend.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
