import type { Readable } from 'node:stream'
import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage, StreamFormat } from '../storage/storage.ts'
import type { Admit } from './admission.ts'
import type { LastRuns } from './lastRuns.ts'
import type { Materializations } from './materialization/materializations.ts'
import { readingFrom } from './materialization/plan.ts'
import { compileRun, prepareRun, type RunRequest, toRunError } from './prepare.ts'

/** All rows of a run as a stream of text, past the most rows of an answer in JSON. Never cached. */
export type StreamEndpoint = (request: RunRequest, format: StreamFormat) => Promise<Readable>

export interface StreamRooms {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'stream'>
  readonly admit: Admit
  readonly lastRuns: Pick<LastRuns, 'note'>
  readonly materializations: Pick<Materializations, 'stored' | 'isEnabled' | 'takesDates'>
}

export const createStream =
  ({ metadata, storage, admit, lastRuns, materializations }: StreamRooms): StreamEndpoint =>
  async (request, format) => {
    const { allowance, signal, leave } = admit(request)
    try {
      const { endpoint, version, work } = await prepareRun({ metadata, materializations }, request)
      if (work.kind === 'insight')
        throw new ApiError('invalid_input', { detail: 'An insight is answered in JSON only.', attr: 'format' })
      const { parsed, values } = work
      const { projectId, limit, offset, cursor } = request
      if (cursor !== undefined)
        throw new ApiError('invalid_input', {
          detail: `An answer in ${format} has all rows at once: leave out "cursor".`,
          attr: 'cursor',
        })
      const maxRows = allowance.streamRows
      const isDirect = request.refresh === 'direct'
      if (isDirect && !materializations.isEnabled(version)) throw new ApiError('not_materialized', { attr: 'refresh' })
      const stored = isDirect ? undefined : materializations.stored(version)
      const reading = stored && readingFrom(parsed, stored)
      const compiled = compileRun(parsed, {
        projectId,
        variables: values,
        limit: Math.min(limit ?? Infinity, maxRows + 1),
        ...(offset === undefined ? {} : { offset }),
        ...(reading ? { replace: reading.replace } : {}),
      })
      const limits = {
        projectId,
        maxSeconds: allowance.seconds,
        maxMemoryBytes: allowance.memoryBytes,
        maxRows,
        ...(stored ? { tables: [stored.table] } : {}),
      }
      const startedAt = new Date().toISOString()
      const stream = await storage.stream(compiled, limits, format, signal).catch((error) => {
        throw signal.aborted ? signal.reason : toRunError(error, parsed, allowance)
      })
      lastRuns.note(endpoint.id, startedAt)
      return stream.once('close', leave)
    } catch (error) {
      leave()
      throw error
    }
  }
