import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { formatNumber, formatWhole } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Code } from '../../ui/copy.tsx'
import { Failed } from '../../ui/states.tsx'
import { endpointPath } from './endpointApi.ts'

const BYTES_PER_MB = 1_000_000

type Preview =
  paths['/api/projects/{projectId}/endpoints/{name}/materialization_preview']['post']['responses']['2XX']['content']['application/json']

/** Estimates the table of an endpoint before it is built. */
export const MaterializationPreview = ({ name, version }: Readonly<{ name: string; version: number }>) => {
  const { id } = useProject()
  const [output, setOutput] = useState<Preview>()
  const { run, isRunning, error } = useMutation((): Promise<Preview> =>
    dataOf(
      api.POST('/api/projects/{projectId}/endpoints/{name}/materialization_preview', {
        params: { ...endpointPath(id, name), query: { version } },
        body: {},
      }),
    ),
  )
  const preview = output?.preview
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="button" disabled={isRunning} onClick={() => void run().then(setOutput)}>
          {isRunning ? 'Estimating …' : 'Preview'}
        </button>
      </div>
      {error && <Failed error={error} />}
      {preview && (
        <>
          <p>
            {formatWhole(preview.rows)} rows, about {formatNumber(preview.bytes / BYTES_PER_MB)} MB, for{' '}
            {formatWhole(preview.events)} events. Runs read {formatNumber(preview.expected_speed_up)} times fewer rows.
          </p>
          <Code label="Stored query" text={preview.stored_query} wraps />
        </>
      )}
    </div>
  )
}
