import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { formatDateTime } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Code } from '../../ui/copy.tsx'
import { Select } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'
import { toVariableValue, useVariables } from '../../ui/sqlEditor/useVariables.ts'

const LIFETIMES = [
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '2592000', label: '30 days' },
] as const

const wordsOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

interface Shown {
  readonly token: string
  readonly expires_at: string
}

/** Creates a token with which a page can run the endpoint. It is shown once. */
export const RunTokenForm = ({ name, variables }: { readonly name: string; readonly variables: readonly string[] }) => {
  const { id, timezone } = useProject()
  const known = useVariables()
  const [pinned, setPinned] = useState<Readonly<Record<string, string>>>({})
  const [origins, setOrigins] = useState('')
  const [lifetime, setLifetime] = useState<(typeof LIFETIMES)[number]['value']>('3600')
  const [shown, setShown] = useState<Shown>()
  const { run, isRunning, error } = useMutation((): Promise<Shown> => {
    const values = Object.entries(pinned).filter(([, text]) => text !== '')
    const typeOf = (each: string) => known.data?.find(({ code_name }) => code_name === each)?.type ?? 'String'
    const list = wordsOf(origins)
    return dataOf(
      api.POST('/api/projects/{projectId}/endpoints/run_tokens', {
        params: { path: { projectId: String(id) } },
        body: {
          endpoints: [name],
          variables: Object.fromEntries(values.map(([each, text]) => [each, toVariableValue(typeOf(each), text)])),
          ttl_seconds: Number(lifetime),
          ...(list.length ? { origins: list } : {}),
        },
      }),
    )
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    const token = await run()
    if (token) setShown(token)
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <p class="muted">
        With a run token, a page runs this endpoint without your key. Variables that you pin here cannot be changed by
        the page.
      </p>
      {variables.map((each) => (
        <TextInput
          key={each}
          label={`Pin ${each}`}
          hint="Empty: the page chooses the value."
          isCode
          value={pinned[each] ?? ''}
          onChange={(text) => setPinned({ ...pinned, [each]: text })}
        />
      ))}
      <TextInput
        label="Origins of the pages"
        hint="Such as https://app.example.com. Empty: all pages."
        isCode
        value={origins}
        onChange={setOrigins}
      />
      <div class="row">
        <Select label="Lifetime of the token" value={lifetime} options={LIFETIMES} onChange={setLifetime} />
        <button type="submit" class="button primary" disabled={isRunning}>
          Create run token
        </button>
      </div>
      {error && <Failed error={error} />}
      {shown && (
        <div class="stack" role="status">
          <p>The token is shown only now. It expires {formatDateTime(shown.expires_at, timezone)}.</p>
          <Code label="Run token" text={shown.token} wraps />
        </div>
      )}
    </form>
  )
}
