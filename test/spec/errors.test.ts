import { tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Errors": the numbered list. 2 ("Error codes returned by the service to the library: not shown")
// contains nothing to test.
const { row, close } = tableOf('1. A request with HTTP status 400 or higher calls on_request_error')

row('1. A request with HTTP status 400 or higher calls on_request_error', () => {
  const fail = async (status: number, body?: unknown, text?: string) => {
    const on_request_error = jest.fn()
    const { analytics, setEventsResponse, settle } = startAnalytics({ on_request_error })
    setEventsResponse(status, body)
    if (text !== undefined) {
      globalThis.fetch = jest.fn(async () => ({
        status,
        text: async () => text,
        headers: { get: () => null },
      })) as unknown as typeof fetch
    }
    analytics.capture('x')
    await settle(3500)
    return on_request_error.mock.calls.map(([error]) => error)
  }

  test.each([400, 401, 403, 404, 413, 429, 499, 500, 502, 503, 599])(
    'for status %i with statusCode, text and json',
    async (status) => {
      const errors = await fail(status, { detail: 'no' })
      expect(errors.length).toBeGreaterThan(0)
      expect(errors[0]).toEqual({ statusCode: status, text: '{"detail":"no"}', json: { detail: 'no' } })
    },
  )

  test('without json when the response text is not JSON', async () => {
    const [error] = await fail(502, undefined, '<h1>Bad gateway</h1>')
    expect(error).toMatchObject({ statusCode: 502, text: '<h1>Bad gateway</h1>' })
    expect(error.json).toBeUndefined()
  })

  test.each([200, 204, 301, 399])('but not for status %i', async (status) =>
    expect(await fail(status, undefined, '{}')).toEqual([]),
  )

  test('but not for a request without a response, which has no status', async () => expect(await fail(0)).toEqual([]))

  test('and ignores exceptions it throws', async () => {
    const lines = listenToConsole('error')
    const { analytics, setEventsResponse, settle } = startAnalytics({
      on_request_error: () => {
        throw new Error('mine')
      },
    })
    setEventsResponse(400)
    analytics.capture('x')
    await settle()
    expect(lines).toHaveLength(1)
    setEventsResponse(200, { status: 1 })
    expect(analytics.capture('y')).toBeDefined()
  })
})

close()
