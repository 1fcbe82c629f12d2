import { ApiError } from '../lib/apiError.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Storage } from '../storage/storage.ts'
import type { Exception, Frame } from './exceptions.ts'
import type { MappedException, MappedFrame } from './fingerprint.ts'
import { MapError, type Mapper } from './mapper.ts'
import type { SourcePosition } from './mapFile.ts'
import type { ErrorTrackingStore, SourceMapRecord } from './store.ts'

/** A source map as the API returns it. */
export interface SourceMapView {
  /** Debug id of the built file. */
  readonly id: string
  /** SHA-256 of the file before it was gzipped. */
  readonly hash: string
  /** Bytes of the gzipped file. */
  readonly bytes: number
  readonly created_at: string
}

/** Source maps of projects. All functions reject with `ApiError`. */
export interface SourceMaps {
  get(projectId: number, id: string): Promise<SourceMapView>
  /** Stores a gzipped source map. Returns whether it is new. The same file again changes nothing, another is rejected. */
  put(projectId: number, id: string, bytes: Buffer): Promise<{ readonly isNew: boolean; readonly map: SourceMapView }>
  /** Applies the project's source maps. Frames without one stay as they are. */
  apply(projectId: number, exceptions: readonly Exception[], signal: AbortSignal): Promise<MappedException[]>
}

export interface SourceMapsDependencies {
  readonly queryRows: QueryRows
  readonly storage: Pick<Storage, 'insert'>
  readonly store: ErrorTrackingStore
  readonly mapper: Mapper
}

/** Maximum bytes of an uploaded file. */
export const MAX_UPLOAD_BYTES = 16 * 1024 * 1024
// A multiple of 3, so that the Base64 of the parts is that of the whole.
const PART_BYTES = 750_000
const PARTS_PER_INSERT = 4

// The name of an anonymous function in stacks of browsers and of SDKs.
const NAMELESS = /^\??$|^(.*\.)?<?anonymous>?$/

const ID = /^[0-9a-z][0-9a-z-]{7,99}$/

const toView = ({ id, hash, bytes, createdAt }: SourceMapRecord): SourceMapView => ({
  id,
  hash,
  bytes,
  created_at: createdAt,
})

const unmapped = (frame: Frame): MappedFrame => ({ ...frame, isMapped: false, source: undefined })

const withPosition = (frame: Frame, position: SourcePosition | null | undefined): MappedFrame =>
  position
    ? {
        ...frame,
        filename: position.source,
        line: position.line,
        column: position.column,
        inApp: !position.isLibrary,
        isMapped: true,
        source: position.text,
      }
    : unmapped(frame)

export const createSourceMaps = ({ queryRows, storage, store, mapper }: SourceMapsDependencies): SourceMaps => {
  const checkedId = (id: string): string => {
    if (ID.test(id.toLowerCase())) return id.toLowerCase()
    throw new ApiError('invalid_input', {
      attr: 'id',
      detail:
        'The id of a source map is the debug id of its file: 8 to 100 letters, digits and hyphens, such as a UUID.',
    })
  }

  const load = async (
    projectId: number,
    { id, hash, parts }: SourceMapRecord,
    signal: AbortSignal,
  ): Promise<Buffer> => {
    const all: Buffer[] = []
    for (let part = 0; part < parts; part += PARTS_PER_INSERT) {
      const text = `SELECT part, any(data) FROM db.source_maps WHERE project_id = {projectId:UInt32} AND id = {id:String} AND hash = {hash:String}
        AND part >= {from:UInt32} AND part < {until:UInt32} GROUP BY part ORDER BY part`
      const params = { projectId, id, hash, from: part, until: part + PARTS_PER_INSERT }
      const rows = await queryRows(projectId, { text, params }, signal)
      for (const [, data] of rows) all.push(Buffer.from(String(data), 'base64'))
    }
    return Buffer.concat(all)
  }

  /** Returns the sources of the frames of one file. */
  const positionsOf = async (projectId: number, mapId: string, frames: readonly Frame[], signal: AbortSignal) => {
    const record = await store.sourceMap(projectId, mapId)
    if (!record) return new Map<Frame, SourcePosition>()
    const positions = frames.map(({ line, column }) => ({ line: line!, column: column ?? 1 }))
    try {
      const found = await mapper.map(projectId, `${mapId}:${record.hash}`, positions, () =>
        load(projectId, record, signal),
      )
      return new Map(frames.map((frame, at) => [frame, found[at] ?? undefined] as const))
    } catch (error) {
      // The error is shown without it.
      if (error instanceof MapError) return new Map<Frame, SourcePosition>()
      throw error
    }
  }

  return {
    async get(projectId, id) {
      const record = await store.sourceMap(projectId, checkedId(id))
      if (!record) throw new ApiError('not_found', { detail: 'This project has no source map with this id.' })
      return toView(record)
    },

    async put(projectId, givenId, bytes) {
      const id = checkedId(givenId)
      const hash = await mapper.inspect(projectId, bytes).catch((error: unknown) => {
        if (!(error instanceof MapError)) throw error
        throw new ApiError('invalid_input', { detail: `The body is not a gzipped source map: ${error.message}.` })
      })
      const unlessSame = (existing: SourceMapRecord) => {
        if (existing.hash === hash) return { isNew: false, map: toView(existing) }
        throw new ApiError('source_map_exists', {
          attr: 'id',
          detail: `Another source map has the debug id ${id}. Build again, so that the changed file gets its own id.`,
        })
      }
      const existing = await store.sourceMap(projectId, id)
      if (existing) return unlessSame(existing)
      const parts = Math.ceil(bytes.length / PART_BYTES)
      const lines = Array.from({ length: parts }, (_, part) =>
        JSON.stringify({
          project_id: projectId,
          id,
          hash,
          part,
          data: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64'),
        }),
      )
      for (let at = 0; at < lines.length; at += PARTS_PER_INSERT)
        await storage.insert('db.source_maps', lines.slice(at, at + PARTS_PER_INSERT))
      const record = await store.addSourceMap(projectId, { id, hash, bytes: bytes.length, parts })
      if (record.hash !== hash) return unlessSame(record)
      await store.markStale(projectId, id)
      return { isNew: true, map: toView(record) }
    },

    async apply(projectId, exceptions, signal) {
      const byMap = new Map<string, Frame[]>()
      for (const { frames } of exceptions)
        for (const frame of frames)
          if (frame.mapId && frame.line !== undefined)
            byMap.set(frame.mapId, [...(byMap.get(frame.mapId) ?? []), frame])
      const positions = new Map<Frame, SourcePosition | undefined>()
      for (const [mapId, frames] of byMap)
        for (const [frame, position] of await positionsOf(projectId, mapId, frames, signal))
          positions.set(frame, position)
      return exceptions.map((exception) => ({
        ...exception,
        frames: exception.frames.map((frame, at) => {
          // The name at the position of a call is that of the called function, which is the frame before.
          const caller = exception.frames[at + 1]
          // A function without a name, such as a callback, is called by the name of a parameter.
          const name = caller && !NAMELESS.test(frame.function) && positions.get(caller)?.name
          return {
            ...withPosition(frame, positions.get(frame)),
            ...(name && positions.get(frame) ? { function: name } : {}),
          }
        }),
      }))
    },
  }
}
