import { identityUpdateOf } from '../../src/persons/identityUpdate.ts'

const SEEN = { set: [], setOnce: [] }

test.each([
  ['marks the person of an event as seen', 'visit', 'ann', { plan: 'pro' }, { person: SEEN, groups: [] }],
  ['without person processing is empty', 'visit', 'ann', { $process_person_profile: false }, { groups: [] }],
  [
    'with person processing contains the default properties',
    'visit',
    'ann',
    { $process_person_profile: true },
    { person: SEEN, groups: [] },
  ],
  ['without cookies is empty', 'visit', '$posthog_cookieless', {}, { groups: [] }],
  ['values are set', 'visit', 'ann', { $set: { a: 1 } }, { person: { set: [['a', '1']], setOnce: [] }, groups: [] }],
  [
    'contains $set_once values',
    'visit',
    'ann',
    { $set_once: { a: 'x' } },
    { person: { set: [], setOnce: [['a', '"x"']] }, groups: [] },
  ],
  [
    'contains $unset names',
    'visit',
    'ann',
    { $unset: ['a'] },
    { person: { set: [['a', '']], setOnce: [] }, groups: [] },
  ],
  [
    'contains groups',
    'visit',
    'ann',
    { $groups: { company: 'acme' } },
    { person: SEEN, groups: [{ type: 'company', key: 'acme' }] },
  ],
  [
    'merges distinct IDs on $identify',
    '$identify',
    'ann',
    { $anon_distinct_id: 'anon' },
    { person: { ...SEEN, merge: { kind: 'identify', from: 'anon', into: 'ann' } }, groups: [] },
  ],
  [
    'marks a person as identified on $identify',
    '$identify',
    'ann',
    {},
    { person: { ...SEEN, merge: { kind: 'identify', from: '', into: 'ann' } }, groups: [] },
  ],
  [
    'contains group properties on $groupidentify',
    '$groupidentify',
    'ann',
    { $group_type: 'company', $group_key: 'acme' },
    { person: SEEN, groups: [], groupUpdate: { type: 'company', key: 'acme', set: [] } },
  ],
])('an identity update %s', (_, event, distinctId, properties, expected) => {
  expect(identityUpdateOf(event, distinctId, properties)).toEqual(expected)
})
