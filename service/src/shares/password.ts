import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import { createLane } from '../lib/lane.ts'

/** Minimum and maximum length of a password, in characters. */
export const MIN_PASSWORD = 8
export const MAX_PASSWORD = 256

// About 0.3 s and 32 MB each, as OWASP recommends. The parameters are stored, so that they can change.
const COST = { N: 2 ** 15, r: 8, p: 3 }
const MAX_MEMORY = 64 * 1024 * 1024
const LENGTH = 32
// scrypt shares the threads of libuv with files and DNS.
const AT_ONCE = 2
const MAX_WAITING = 20

type Cost = typeof COST

const derive = (password: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, LENGTH, { N, r, p, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })

/** Returns the hash to store of a password: its parameters, salt and key. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  const key = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/**
 * Returns a function that checks a password against a stored hash. Each check computes scrypt once, and at most two run
 * at the same time.
 */
export const createPasswordCheck = (): ((password: string, stored: string) => Promise<boolean>) => {
  const lane = createLane(AT_ONCE)
  let waiting = 0
  return async (password, stored) => {
    if (waiting >= MAX_WAITING + AT_ONCE)
      throw new ApiError('too_many_tries', { detail: 'Too many passwords are being checked.', retryAfterSeconds: 5 })
    waiting += 1
    try {
      const [, N, r, p, salt, key] = stored.split('$') as [string, string, string, string, string, string]
      const cost = { N: Number(N), r: Number(r), p: Number(p) }
      const given = await lane.run('share', () => derive(password, Buffer.from(salt, 'base64url'), cost))
      return timingSafeEqual(given, Buffer.from(key, 'base64url'))
    } finally {
      waiting -= 1
    }
  }
}

const WINDOW_MS = 60_000
/** Maximum password attempts per share and minute. */
export const MAX_TRIES = 5

// Limits the memory of a flood: beyond it, windows that have ended are forgotten.
const MAX_WINDOWS = 10_000

/** Returns the function that counts a try of a share. It throws `ApiError` beyond the limit, and returns what uncounts the try. */
export const createTries = (now: () => number = Date.now): ((share: string) => () => void) => {
  const windows = new Map<string, { readonly startedAt: number; count: number }>()
  const isOver = ({ startedAt }: { readonly startedAt: number }) => now() - startedAt >= WINDOW_MS

  const windowOf = (share: string) => {
    const known = windows.get(share)
    if (known && !isOver(known)) return known
    if (windows.size >= MAX_WINDOWS) for (const [id, each] of windows) if (isOver(each)) windows.delete(id)
    const started = { startedAt: now(), count: 0 }
    windows.set(share, started)
    return started
  }

  return (share) => {
    const window = windowOf(share)
    if (window.count >= MAX_TRIES)
      throw new ApiError('too_many_tries', {
        retryAfterSeconds: Math.ceil((window.startedAt + WINDOW_MS - now()) / 1_000),
      })
    window.count += 1
    return () => {
      window.count -= 1
    }
  }
}
