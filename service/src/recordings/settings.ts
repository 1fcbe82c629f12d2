import { type Static, Type } from '@sinclair/typebox'
import type { Metadata } from '../storage/metadata/metadata.ts'

/** Allowed retention periods of recordings, in days. */
export const RETENTION_DAYS = [7, 30, 90, 365] as const

const MAX_DAY_MEGABYTES = 1_000_000

/** Changes of the settings of a project's recordings. */
export const RECORDING_SETTINGS = Type.Object(
  {
    retention_days: Type.Optional(
      Type.Unsafe<(typeof RETENTION_DAYS)[number]>({
        type: 'integer',
        enum: [...RETENTION_DAYS],
        description: 'Days from the start of a session until its recording is deleted. Applies to new sessions',
      }),
    ),
    day_megabytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_DAY_MEGABYTES,
        description: 'Maximum megabytes of recordings stored per day (UTC), before compression. 0: none',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RecordingSettings = Required<Static<typeof RECORDING_SETTINGS>>

const DEFAULTS: RecordingSettings = { retention_days: 30, day_megabytes: 10_000 }

const NAME = 'session_recordings'

export interface RecordingSettingsStore {
  get(projectId: number): Promise<RecordingSettings>
  /** Changes the given settings. Resolves with all of them. */
  change(projectId: number, changes: Partial<RecordingSettings>): Promise<RecordingSettings>
}

export const createRecordingSettings = ({ settings }: Pick<Metadata, 'settings'>): RecordingSettingsStore => {
  const get = async (projectId: number) => ({
    ...DEFAULTS,
    ...((await settings.get(projectId, NAME)) as Partial<RecordingSettings> | undefined),
  })
  return {
    get,
    async change(projectId, changes) {
      const next = { ...(await get(projectId)), ...changes }
      await settings.set(projectId, NAME, next)
      return next
    },
  }
}
