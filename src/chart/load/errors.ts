/** Reason that a chart shows no data, or not the latest. `message` names the error and the fix. */
export class ChartError extends Error {
  override readonly name = 'ChartError'
  /** A code of the service, or one of the component, such as `unreachable`. */
  readonly code: string
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** When the chart tries again. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, status = 0, retryAfterMs?: number) {
    super(message)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Values that a message may contain. */
export interface ErrorContext {
  readonly host: string
  readonly endpoint: string
  readonly hasProvider: boolean
  /** Message of the service. */
  readonly detail?: string
}

type Message = (context: ErrorContext & { readonly seconds: number }) => string

const NEW_TOKEN: Message = ({ hasProvider }) =>
  hasProvider ? 'The token provider must return a new token.' : 'Give the chart a new token, or a token provider.'
const again: Message = ({ seconds }) => `The chart tries again in ${seconds} s.`
const TOO_MANY: Message = (context) => `Too many requests were made with this token. ${again(context)}`

/** Messages by code. Other errors show what the service says. */
const MESSAGES: Readonly<Record<string, Message>> = {
  run_token_expired: (context) => `The token has expired. ${NEW_TOKEN(context)}`,
  run_token_revoked: (context) => `The token was revoked. ${NEW_TOKEN(context)}`,
  invalid_run_token: (context) => `The token was changed, or all tokens were revoked. ${NEW_TOKEN(context)}`,
  origin_not_allowed: () =>
    `The token is not valid for pages of ${location.origin}. Create it with this address in "origins".`,
  not_granted: ({ detail }) => `${detail} Create it with this endpoint in "endpoints".`,
  not_found: ({ endpoint }) => `There is no active endpoint "${endpoint}" in the project of the token.`,
  invalid_variables: ({ detail }) => `A variable was refused: ${detail} Change "variables", or the days.`,
  rate_limited: TOO_MANY,
  too_many_at_once: TOO_MANY,
  unreachable: (context) =>
    `${context.host} cannot be reached. Check the connection, and the page's content policy. ${again(context)}`,
  timeout: (context) => `${context.host} did not respond in time. ${again(context)}`,
  busy: (context) => `The service is busy. ${again(context)}`,
}

/** Statuses after which a later request may succeed. */
const RETRYABLE = [0, 429, 502, 503, 504, 507]
export const RETRY_MS = 15_000

/** Whether the data that is shown stays: the error says nothing about the right to see it. */
export const keepsData = ({ code, retryAfterMs }: ChartError): boolean =>
  /^days_|^not_saved/.test(code) || (retryAfterMs !== undefined && code !== PROVIDER_FAILED)

/** Code of a token provider that returned none: the reader may have signed out. */
export const PROVIDER_FAILED = 'token_provider_failed'

/** Creates an error. `retryAfterMs`: when the service wants the next request. */
export const createError = (
  code: string,
  status: number,
  context: ErrorContext,
  retryAfterMs = RETRY_MS,
): ChartError => {
  const isRetryable = RETRYABLE.includes(status)
  const message = Object.hasOwn(MESSAGES, code) ? MESSAGES[code]! : isRetryable ? MESSAGES.busy! : undefined
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const text = message?.({ ...context, seconds }) ?? (context.detail || `The service responded with ${status}.`)
  return new ChartError(code, text.trim(), status, isRetryable ? retryAfterMs : undefined)
}
