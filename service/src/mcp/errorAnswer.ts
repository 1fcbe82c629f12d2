import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import { MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { StorageError, storageApiError } from '../storage/storage.ts'
import { cleanText } from './cleanText.ts'

const MAX_ISSUES = 20
const MAX_DETAIL = 2_000

/** Returns the API error for any error. Unknown ones are logged. */
export const asApiError = (error: unknown, log: Log): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof MetadataUnavailable) return new ApiError('definitions_unavailable')
  const known = error instanceof StorageError ? storageApiError(error) : undefined
  if (known) return known
  log(`Agent call failed: ${error instanceof Error ? error.stack : String(error)}`, { level: 'error' })
  return new ApiError('internal_error', { detail: 'Internal error. The log of the service has details.' })
}

/** Returns an error for an agent, with details that let it correct its arguments and try again. */
export const errorAnswer = ({ code, details }: ApiError, message: string) => ({
  error: {
    code: details.code ?? code,
    detail: cleanText(details.detail ?? message, MAX_DETAIL),
    ...(details.attr ? { attr: details.attr } : {}),
    ...(details.errors
      ? { errors: details.errors.slice(0, MAX_ISSUES).map(({ message: each }) => cleanText(each)) }
      : {}),
    ...(typeof details.extra?.fix === 'string' ? { fix: cleanText(details.extra.fix) } : {}),
  },
})
