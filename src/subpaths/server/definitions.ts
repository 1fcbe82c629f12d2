import type { Definition, Definitions } from './local/evaluate'
import type { Send } from './request'
import type { ServerOptions } from './types'

/**
 * Creates the reader of flag definitions. There is no timer: definitions that are older than the interval are requested when
 * flags are evaluated, and those of twice that age are waited for. An unchanged answer has no body (304).
 */
export const createDefinitions = (
  { token, send, log }: { token: string; send: Send; log(problem: string): void },
  { personalApiKey, featureFlagsPollingInterval: maxAge = 30_000, requestTimeout = 10_000, waitUntil }: ServerOptions,
) => {
  let known: Definitions | undefined
  let etag: string | null = null
  let checkedAt = 0
  let loading: Promise<boolean> | undefined
  let lastStatus = 200

  const load = async (): Promise<boolean> => {
    const answer = await send(`/flags/definitions?token=${encodeURIComponent(token)}`, {
      method: 'GET',
      headers: { Authorization: `Bearer ${personalApiKey}`, ...(etag && { 'If-None-Match': etag }) },
      timeoutMs: requestTimeout,
    })
    checkedAt = Date.now()
    const { flags, group_type_mapping: groupTypes } = (answer.json ?? {}) as {
      flags?: Definition[]
      group_type_mapping?: Record<string, string>
    }
    const isRead = answer.status === 200 && Array.isArray(flags)
    if (isRead) {
      known = { flags: new Map(flags.map((flag) => [flag.key, flag])), groupTypes: groupTypes ?? {} }
      etag = answer.etag
    } else if (answer.status >= 400 && answer.status !== lastStatus)
      log(`the definitions of flags cannot be read: ${answer.status} ${answer.text.slice(0, 200)}`)
    lastStatus = answer.status
    return isRead
  }
  const reload = (): Promise<boolean> =>
    personalApiKey ? (loading ??= load().finally(() => (loading = undefined))) : Promise.resolve(false)

  return {
    reload,
    /** Returns the definitions. `undefined`: there is no key, or they could not be read yet. */
    async get(): Promise<Definitions | undefined> {
      const age = Date.now() - checkedAt
      if (age > maxAge) {
        const loaded = reload()
        if (age > 2 * maxAge) await loaded
        else waitUntil?.(loaded)
      }
      return known
    },
  }
}
