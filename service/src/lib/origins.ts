import { ApiError } from './apiError.ts'

const isWeb = (origin: string) => /^https?:\/\/[^*]+$/.test(origin)

/** Throws `ApiError` unless each origin of the field `attr` is written as browsers send it, without wildcards. */
export const checkOrigins = (attr: string, origins: readonly string[] = []): void => {
  for (const given of origins) {
    const origin = URL.canParse(given) ? new URL(given).origin : 'null'
    if (origin === given && isWeb(given)) continue
    throw new ApiError('invalid_input', {
      attr,
      detail: `"${given.slice(0, 100)}" is not an origin. Write scheme, host and port as browsers send them, such as ${isWeb(origin) ? origin : 'https://app.example.com'}.`,
    })
  }
}
