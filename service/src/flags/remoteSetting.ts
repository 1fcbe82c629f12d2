import { type TSchema, Type } from '@sinclair/typebox'

/** A setting of SDKs in browsers, which each project can change. */
export interface RemoteSetting {
  readonly schema: TSchema
  readonly byDefault: unknown
  /** Returns the value as SDKs read it. Absent: SDKs read the stored value. */
  readonly toSdk?: (value: unknown) => unknown
  /** Name of another setting, which keeps the additional data of `change` and is not sent to SDKs. */
  readonly keptIn?: string
  /** Changes the value by a merge patch. Absent: JSON Merge Patch. Throws `ApiError`. */
  readonly change?: (
    before: unknown,
    patch: unknown,
    kept: unknown,
  ) => { readonly value: unknown; readonly kept: unknown }
}

export type RemoteSettings = Readonly<Record<string, RemoteSetting>>

/** Schema of a setting that is on or off. */
export const ON = Type.Boolean()

/** Schema of a setting that is on, off, or on with options. */
export const ON_OR_OPTIONS = Type.Union([Type.Boolean(), Type.Record(Type.String(), Type.Unknown())])
