const uuid = (last: number) => `00000000-0000-0000-0000-${String(last).padStart(12, '0')}`

const base = { elements_chain: '', $session_id: '', $window_id: '' }

/** Four events of project 1. Every value of project 2's says so, so that none can pass for one of project 1. */
export const EVENTS: readonly object[] = [
  {
    ...base, project_id: 1, uuid: uuid(1), event: 'visit', distinct_id: 'ann', timestamp: '2026-01-01 10:00:00.000', $session_id: 's1', elements_chain: 'a.link',
    properties: {
      $browser: 'Chrome', plan: 'pro', amount: 9, rate: 1.5, paid: true, when: '2026-01-01T10:00:00Z',
      nested: { deep: { key: 'inside' }, count: 3 }, list: ['x', 'y', { z: 1 }], numbers: [1, 2, 3], 'a.b': 'dotted', a: { b: 'nested' }, text: '12', "it's": 'quoted', 'sp ace': 'spaced', '^odd': 'odd',
    },
  },
  { ...base, project_id: 1, uuid: uuid(2), event: 'visit', distinct_id: 'ben', timestamp: '2026-01-02 10:00:00.000', properties: { $browser: 'Safari', amount: 10, paid: false, when: '2026-01-02T10:00:00Z' } },
  { ...base, project_id: 1, uuid: uuid(3), event: 'buy', distinct_id: 'ann', timestamp: '2026-01-03 10:00:00.000', properties: { $browser: 'Chrome', amount: '2.5', plan: 'free' } },
  { ...base, project_id: 1, uuid: uuid(4), event: 'leave', distinct_id: 'cat', timestamp: '2026-02-01 00:00:00.000', properties: {} },
  ...[5, 6, 7].map((n) => ({
    ...base, project_id: 2, uuid: uuid(n), event: n === 5 ? 'visit' : 'theirs', distinct_id: n === 6 ? 'ann' : 'theirs', timestamp: '2026-01-01 10:00:00.000', $session_id: 'theirs', elements_chain: 'theirs',
    properties: { $browser: 'theirs', plan: 'theirs', amount: 1_000_000, paid: true },
  })),
]
