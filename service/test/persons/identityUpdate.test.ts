import { identityUpdateOf } from '../../src/persons/identityUpdate.ts'

const SEEN = { set: [], setOnce: [] }

test.each([
  ['an event says that its person was there', 'visit', 'ann', { plan: 'pro' }, { person: SEEN, groups: [] }],
  [
    'without person processing it says nothing of anybody',
    'visit',
    'ann',
    { $process_person_profile: false },
    { groups: [] },
  ],
  [
    'with person processing it says the usual',
    'visit',
    'ann',
    { $process_person_profile: true },
    { person: SEEN, groups: [] },
  ],
  ['without cookies it says nothing of anybody', 'visit', '$posthog_cookieless', {}, { groups: [] }],
  ['values are set', 'visit', 'ann', { $set: { a: 1 } }, { person: { set: [['a', '1']], setOnce: [] }, groups: [] }],
  [
    'values are set once',
    'visit',
    'ann',
    { $set_once: { a: 'x' } },
    { person: { set: [], setOnce: [['a', '"x"']] }, groups: [] },
  ],
  [
    'values are taken away',
    'visit',
    'ann',
    { $unset: ['a'] },
    { person: { set: [['a', '']], setOnce: [] }, groups: [] },
  ],
  [
    'it belongs to groups',
    'visit',
    'ann',
    { $groups: { company: 'acme' } },
    { person: SEEN, groups: [{ type: 'company', key: 'acme' }] },
  ],
  [
    'it says who is who',
    '$identify',
    'ann',
    { $anon_distinct_id: 'anon' },
    { person: { ...SEEN, merge: { kind: 'identify', from: 'anon', into: 'ann' } }, groups: [] },
  ],
  [
    'to identify says that somebody is known',
    '$identify',
    'ann',
    {},
    { person: { ...SEEN, merge: { kind: 'identify', from: '', into: 'ann' } }, groups: [] },
  ],
  [
    'it tells of a group',
    '$groupidentify',
    'ann',
    { $group_type: 'company', $group_key: 'acme' },
    { person: SEEN, groups: [], groupUpdate: { type: 'company', key: 'acme', set: [] } },
  ],
])('%s', (_, event, distinctId, properties, expected) => {
  expect(identityUpdateOf(event, distinctId, properties)).toEqual(expected)
})
