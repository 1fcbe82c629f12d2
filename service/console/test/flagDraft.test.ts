import {
  describeRollout,
  type Flag,
  NEW_FLAG,
  sumOfShares,
  toDraft,
  toInput,
  withEqualShares,
} from '../src/pages/flags/draft.ts'

const flag = (filters: Flag['filters']): Flag => ({
  id: 1,
  key: 'checkout',
  name: '',
  active: true,
  filters,
  evaluation_contexts: ['web', 'app'],
  version: 1,
  deleted: false,
  created_at: '2026-11-22T00:00:00Z',
  updated_at: '2026-11-22T00:00:00Z',
})

describe('the flag form', () => {
  test('stores the flag that it was loaded with', () => {
    const filters: Flag['filters'] = {
      groups: [
        {
          properties: [
            { type: 'person', key: 'plan', operator: 'exact', value: ['pro', 'team'] },
            { type: 'person', key: 'age', operator: 'gte', value: '18' },
            { type: 'person', key: 'email', operator: 'is_set' },
            { type: 'flag', key: 'other', operator: 'flag_evaluates_to', value: true },
          ],
          rollout_percentage: 12.5,
          variant: 'short',
        },
        { properties: [], rollout_percentage: 100, variant: null },
      ],
      multivariate: {
        variants: [
          { key: 'short', name: 'Short', rollout_percentage: 50 },
          { key: 'long', name: null, rollout_percentage: 50 },
        ],
      },
      payloads: { short: '{"steps":2}' },
      aggregation_group_type: 'company',
    }
    expect(toInput(toDraft(flag(filters)))).toEqual({
      key: 'checkout',
      name: '',
      filters,
      evaluation_contexts: ['web', 'app'],
    })
  })

  test('reads defaults and values of other types as text', () => {
    const draft = toDraft(
      flag({ groups: [{ properties: [{ type: 'person', key: 'age', value: 18 }] }], payloads: { true: { a: 1 } } }),
    )
    expect(draft.conditions).toEqual([
      { properties: [{ type: 'person', key: 'age', operator: 'exact', values: ['18'] }], percent: '100', variant: '' },
    ])
    expect(draft.payload).toBe('{"a":1}')
  })

  test('a new flag is on for everyone', () => {
    expect(toInput({ ...NEW_FLAG, key: ' new ' })).toEqual({
      key: 'new',
      name: '',
      filters: {
        groups: [{ properties: [], rollout_percentage: 100, variant: null }],
        multivariate: null,
        payloads: {},
      },
      evaluation_contexts: [],
    })
  })

  test('equal shares add up to 100', () => {
    const variant = { key: '', name: '', percent: '0', payload: '' }
    const shares = withEqualShares([variant, variant, variant])
    expect(shares.map(({ percent }) => percent)).toEqual(['33.33', '33.33', '33.34'])
    expect(sumOfShares(shares)).toBe(100)
  })

  test.each([
    [[], 'Nobody'],
    [[{ rollout_percentage: 100 }], 'Everyone'],
    [[{ rollout_percentage: 10 }], '10% of everyone'],
    [[{ properties: [{ type: 'person' as const, key: 'a' }] }], 'People with 1 property'],
    [[{ properties: [{ type: 'person' as const, key: 'a' }], rollout_percentage: 5 }], '5% of people with 1 property'],
    [[{}, {}], '2 conditions'],
  ])('describes the roll-out of %j', (groups, text) => {
    expect(describeRollout({ groups })).toBe(text)
  })
})
