import type { Readable } from 'node:stream'
import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage, StreamFormat } from '../storage/storage.ts'
import type { Admit } from './admission.ts'
import { executeRun } from './executeRun.ts'
import type { LastRuns } from './lastRuns.ts'
import type { Materializations } from './materialization/materializations.ts'
import { planRun } from './planRun.ts'
import { prepareRun, type RunRequest } from './prepareRun.ts'

/** Returns all rows of a run as a stream of text, which may be more than a JSON response may have. Never cached. */
export type StreamEndpoint = (request: RunRequest, format: StreamFormat) => Promise<Readable>

export interface StreamDependencies {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'stream'>
  readonly admit: Admit
  readonly lastRuns: Pick<LastRuns, 'note'>
  readonly materializations: Pick<Materializations, 'stored' | 'isEnabled' | 'takesDates'>
}

export const createStream =
  ({ metadata, storage, admit, lastRuns, materializations }: StreamDependencies): StreamEndpoint =>
  async (request, format) => {
    const { allowance, signal, leave } = admit(request)
    try {
      const prepared = await prepareRun({ metadata, materializations }, request)
      if (prepared.work.kind === 'insight')
        throw new ApiError('invalid_input', { detail: 'Insights are available in JSON only.', attr: 'format' })
      if (request.cursor !== undefined)
        throw new ApiError('invalid_input', {
          detail: `A ${format} response contains all rows. Omit "cursor".`,
          attr: 'cursor',
        })
      const plan = planRun(prepared, request, { materializations, allowance, isStream: true })
      const startedAt = new Date().toISOString()
      const { results } = await executeRun(plan, (statement, limits) =>
        storage.stream(statement, limits, format, signal),
      ).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error
      })
      if (prepared.stored) lastRuns.note(prepared.stored.endpoint.id, startedAt)
      return results[0]!.once('close', leave)
    } catch (error) {
      leave()
      throw error
    }
  }
