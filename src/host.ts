import type { CapturedEvent, CaptureOptions, Config, Properties } from './types'

/** All that a source or an extension may see of the SDK. */
export interface Host {
  /** The live configuration: read it when needed, never copy it. */
  config: Config
  capture(event: string, properties?: Properties, options?: CaptureOptions): CapturedEvent | undefined
}
