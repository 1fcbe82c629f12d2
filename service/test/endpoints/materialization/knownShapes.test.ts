import { shapeOfRun } from '../../../src/endpoints/materialization/knownShapes.ts'
import { type BoundValue, parseQuery } from '../../../src/sql/compile.ts'

const TIME = "DateTime64(3, 'UTC')"
const values = (plan: string, day: string): Readonly<Record<string, BoundValue>> => ({
  plan: { type: 'String', value: plan },
  since: { type: TIME, value: `${day} 00:00:00.000` },
})
const parsed = () =>
  parseQuery(
    'SELECT event, count() AS n FROM events WHERE properties.plan = {variables.plan} AND timestamp >= {variables.since} GROUP BY event',
  )

test('runs with other values share a shape, each with its own values', () => {
  const query = parsed()
  shapeOfRun(query, values('free', '2026-01-01'))
  const [first, second] = [values('pro', '2026-02-01'), values("it's", '2026-03-01')].map((each) =>
    shapeOfRun(query, each),
  )
  expect(second!.shape.columns).toBe(first!.shape.columns)
  expect(first!.isWhole).toBe(true)
  const bounds = [first, second].map((each) => each!.shape.runTerms.map(({ bound }) => bound))
  expect(bounds).toEqual([
    [
      { kind: 'parameter', type: 'String', value: 'pro' },
      { kind: 'parameter', type: TIME, value: '2026-02-01 00:00:00.000' },
    ],
    [
      { kind: 'parameter', type: 'String', value: "it's" },
      { kind: 'parameter', type: TIME, value: '2026-03-01 00:00:00.000' },
    ],
  ])
  expect(JSON.stringify([first, second])).not.toMatch(/free|2026-01/)
})

test('a value that cannot be a plain string is read in another way', () => {
  const query = parsed()
  const columnOf = (plan: string) =>
    JSON.stringify(shapeOfRun(query, values(plan, '2026-01-01'))!.shape.runTerms.map(({ column }) => column))
  expect(columnOf('a')).toBe(columnOf('b'))
  expect(shapeOfRun(query, values('[1]', '2026-01-01'))!.shape.signature).not.toBe(
    shapeOfRun(query, values('a', '2026-01-01'))!.shape.signature,
  )
})
