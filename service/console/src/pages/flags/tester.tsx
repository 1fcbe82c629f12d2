import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { inProject } from '../../api/inProject.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'
import { type FlagDraft, toInput } from './draft.ts'
import styles from './flagsPage.module.css'
import { TestResult } from './testResult.tsx'
import type { FlagTest } from './flagTest.ts'

const parseProperties = (text: string, what: string): Record<string, unknown> => {
  if (!text.trim()) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Throws the same error below as for JSON that is not an object.
  }
  throw new Failure(`${what} must be a JSON object, such as {"plan": "pro"}.`, 'invalid_input', 0)
}

/** Shows what a person would get from the flag as it is written in the form, and why. The person is in the URL. */
export const Tester = ({
  draft,
  flagId,
  isActive,
}: {
  readonly draft: FlagDraft
  readonly flagId: number | undefined
  readonly isActive: boolean
}) => {
  const { id } = useProject()
  const [person, setPerson] = useState(search.value.get('person') ?? '')
  const [properties, setProperties] = useState('')
  const [group, setGroup] = useState('')
  const [result, setResult] = useState<{ readonly test: FlagTest; readonly of: string }>()
  const text = JSON.stringify(draft)
  const { run, isRunning, error } = useMutation(() => {
    const body = {
      flag: { ...toInput(draft), active: isActive, ...(flagId === undefined ? {} : { id: flagId }) },
      distinct_id: person.trim(),
      person_properties: parseProperties(properties, 'The properties'),
      ...(draft.groupType.trim() && group.trim() ? { groups: { [draft.groupType.trim()]: group.trim() } } : {}),
    }
    return dataOf(api.POST('/api/projects/{projectId}/feature_flags/test', { params: inProject(id), body }))
  })
  const test = async () => {
    const found = await run()
    if (found) setResult({ test: found, of: text })
  }
  useEffect(() => {
    if (person && draft.key) void test()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    setSearch({ person: person.trim() || undefined }, { replace: true })
    void test()
  }
  return (
    <Card title="What would this person get?">
      <form class="stack" onSubmit={submit}>
        <TextInput
          label="Distinct id"
          hint="Of a stored person, or any other value."
          isCode
          value={person}
          onChange={setPerson}
        />
        {draft.groupType && (
          <TextInput label={`Key of the group (${draft.groupType})`} isCode value={group} onChange={setGroup} />
        )}
        <details>
          <summary>Override stored properties</summary>
          <TextArea label="Properties (JSON)" isCode value={properties} onChange={setProperties} />
        </details>
        <div class="row">
          <button type="submit" class="button" disabled={isRunning || !draft.key.trim()}>
            {isRunning ? 'Testing …' : 'Test'}
          </button>
          <span class="small muted">
            {draft.key.trim() ? 'Tests the flag as it is written here, saved or not.' : 'Give the flag a key first.'}
          </span>
        </div>
        {error && <Failed error={error} />}
      </form>
      {result && (
        <div class={styles.result} aria-live="polite">
          {result.of !== text && <p class="small muted">The flag has changed since this test. Test it again.</p>}
          <TestResult test={result.test} />
        </div>
      )}
    </Card>
  )
}
