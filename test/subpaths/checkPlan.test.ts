import { checkPlan, type StandardSchema } from 'trailmark/plan'
import { startAnalytics } from '../support/startAnalytics'

const amount = (validate: (value: unknown) => ReturnType<StandardSchema['~standard']['validate']>): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
})
const issue = { message: 'expected a number', path: ['amount', { key: 'net' }] }

test('warns once per event and property, and sends every event unchanged', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
  const seen: unknown[] = []
  const plan = {
    events: {
      purchase: { properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false },
      refund: amount((value) => (seen.push(value), { issues: [issue] })),
      late: amount(() => Promise.resolve({ issues: [issue] })),
      broken: amount(() => {
        throw new Error('no schema')
      }),
      rejected: amount(() => Promise.reject(new Error('no network'))),
    },
  }
  const { analytics, sent, settle } = startAnalytics({ before_send: checkPlan(plan) })
  analytics.capture('purchase', { amount: '5' })
  analytics.capture('purchase', { amount: '6' })
  analytics.capture('purchase', { amount: 5 })
  analytics.capture('purchase', {})
  analytics.capture('purchse', { amount: 5 })
  analytics.capture('refund', { amount: { net: '5' } })
  for (const name of ['late', 'broken', 'rejected', '$other']) analytics.capture(name)
  await settle()
  expect(warn.mock.calls).toEqual([
    ['[trailmark] purchase: amount must be number, is string'],
    ['[trailmark] purchse: is not in the plan. Did you mean "purchase"?'],
    ['[trailmark] refund: amount.net expected a number'],
    ['[trailmark] broken: schema fails: Error: no schema'],
    ['[trailmark] late: amount.net expected a number'],
    ['[trailmark] rejected: schema fails: Error: no network'],
  ])
  // Libraries with strict objects would report what the SDK adds.
  expect(seen).toEqual([{ amount: { net: '5' } }])
  const names = sent.map(({ event }) => event).filter((name) => !/^\$(pageview|feature)/.test(name))
  expect(names).toEqual([
    ...Array<string>(4).fill('purchase'),
    'purchse',
    'refund',
    'late',
    'broken',
    'rejected',
    '$other',
  ])
  expect(sent.find(({ event }) => event === 'purchase')!.properties.amount).toBe('5')
  warn.mockRestore()
})
