import { SERVICE_URL } from './client.ts'
import { Failure, toFailure } from './failure.ts'
import { expire, renewals } from './session.ts'

/** More would take the memory of the tab. */
export const MAX_DOWNLOAD_BYTES = 500_000_000

/** Downloads a path of the API. Calls `onProgress` with the bytes so far. Rejects with `Failure`, or when it is aborted. */
export const download = async (
  path: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (bytes: number) => void },
): Promise<Blob> => {
  const begunAt = renewals.peek()
  const response = await fetch(`${SERVICE_URL}${path}`, { signal, headers: { 'x-trailmark-console': '1' } })
  if (response.status === 401) expire(begunAt)
  if (!response.ok) throw toFailure(response.status, await response.json().catch(() => undefined))
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for (const reader = response.body!.getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(chunks)
    bytes += value.length
    if (bytes > MAX_DOWNLOAD_BYTES) {
      void reader.cancel()
      throw new Failure(
        'The file has more than 500 MB. Export a shorter time, or run “trailmark export”.',
        'too_large',
        0,
      )
    }
    chunks.push(value)
    onProgress(bytes)
  }
}
