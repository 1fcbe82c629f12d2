import { tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Errors": the numbered list. 2 ("Error codes returned by the service to the library: not shown") says nothing to test.
const { row, close } = tableOf('1. A request with HTTP status 400 or higher calls on_request_error')

row('1. A request with HTTP status 400 or higher calls on_request_error', () => {
  const fail = async (status: number, body?: unknown, text?: string) => {
    const on_request_error = jest.fn()
    const { analytics, answer, settle } = startAnalytics({ on_request_error })
    answer(status, body)
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
    '%i, with statusCode, text and json',
    async (status) => {
      const errors = await fail(status, { detail: 'no' })
      expect(errors.length).toBeGreaterThan(0)
      expect(errors[0]).toEqual({ statusCode: status, text: '{"detail":"no"}', json: { detail: 'no' } })
    },
  )

  test('a text that is no JSON comes without json', async () => {
    const [error] = await fail(502, undefined, '<h1>Bad gateway</h1>')
    expect(error).toMatchObject({ statusCode: 502, text: '<h1>Bad gateway</h1>' })
    expect(error.json).toBeUndefined()
  })

  test.each([200, 204, 301, 399])('%i does not', async (status) =>
    expect(await fail(status, undefined, '{}')).toEqual([]),
  )

  test('no answer at all does not: there is no status', async () => expect(await fail(0)).toEqual([]))

  test('what it throws does no harm', async () => {
    const lines = listenToConsole('error')
    const { analytics, answer, settle } = startAnalytics({
      on_request_error: () => {
        throw new Error('mine')
      },
    })
    answer(400)
    analytics.capture('x')
    await settle()
    expect(lines).toHaveLength(1)
    answer(200, { status: 1 })
    expect(analytics.capture('y')).toBeDefined()
  })
})

close()
