import { useRef, useState } from 'preact/hooks'
import { download } from '../../api/download.ts'
import { downloadBlob } from '../../lib/csv.ts'
import { formatNumber } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Field } from '../../ui/field.tsx'
import { SelectInput, TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'

const DATA = [
  ['events', 'Events'],
  ['persons', 'People'],
  ['distinct_ids', 'Ids of people'],
  ['deletions', 'What was erased'],
] as const
const FORMATS = [
  ['jsonl', 'JSON lines'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const

interface Draft {
  readonly data: (typeof DATA)[number][0]
  readonly format: (typeof FORMATS)[number][0]
  readonly event: string
  readonly from: string
  readonly to: string
}

const addressOf = (projectId: number, { data, format, event, from, to }: Draft): string => {
  const query = new URLSearchParams(data === 'deletions' ? {} : { format })
  if (data === 'events') {
    if (event) query.set('event', event)
    if (from) query.set('date_from', `${from}T00:00:00Z`)
    if (to) query.set('date_to', `${to}T00:00:00Z`)
  }
  return `/api/projects/${projectId}/export/${data}?${query}`
}

/** Downloads data of the project. */
export const ExportCard = () => {
  const { id } = useProject()
  const [draft, setDraft] = useState<Draft>({ data: 'events', format: 'jsonl', event: '', from: '', to: '' })
  const [bytes, setBytes] = useState(0)
  const running = useRef<AbortController>(undefined)
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const { run, isRunning, error } = useMutation(async () => {
    const controller = new AbortController()
    running.current = controller
    setBytes(0)
    try {
      const file = await download(addressOf(id, draft), { signal: controller.signal, onProgress: setBytes })
      downloadBlob(`${draft.data}.${draft.data === 'deletions' ? 'jsonl' : draft.format}`, file)
    } catch (failure) {
      if (!controller.signal.aborted) throw failure
    }
  })
  const day = (label: string, name: 'from' | 'to') => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type="date"
          value={draft[name]}
          onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
  return (
    <Card title="Export">
      <div class="stack">
        <p class="muted">
          For more than 500 MB, files by day, increments or a bucket, run <code>trailmark export</code> on the machine
          of the service.
        </p>
        <SelectInput label="Data" value={draft.data} options={DATA} onChange={(data) => change({ data })} />
        {draft.data !== 'deletions' && (
          <SelectInput
            label="Format"
            value={draft.format}
            options={FORMATS}
            onChange={(format) => change({ format })}
          />
        )}
        {draft.data === 'events' && (
          <>
            <TextInput
              label="Event"
              hint="Empty: all events."
              isCode
              maxLength={200}
              value={draft.event}
              onChange={(event) => change({ event })}
            />
            {day('From this day on (UTC)', 'from')}
            {day('Before this day (UTC)', 'to')}
          </>
        )}
        {error && <Failed error={error} />}
        <div class="row">
          <button type="button" class="button primary" disabled={isRunning} onClick={() => void run()}>
            Download
          </button>
          {isRunning && (
            <>
              <button type="button" class="button" onClick={() => running.current?.abort()}>
                Cancel
              </button>
              <span class="muted" role="status">
                {formatNumber(bytes / 1_000_000)} MB
              </span>
            </>
          )}
        </div>
      </div>
    </Card>
  )
}
