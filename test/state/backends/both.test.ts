import { reconcile } from '../../../src/state/backends/both'

const LOCAL = {
  distinct_id: 'local',
  $identity_at: 100,
  $device_id: 'device',
  $user_id: 'local',
  plan: 'gold',
  $sesid: [50, 's1', 1],
}

test.each([
  ['only a cookie: it holds', { distinct_id: 'c' }, undefined, { distinct_id: 'c' }],
  ['only local storage: it holds', undefined, LOCAL, LOCAL],
  ['the identity decided later is right: the local one', { distinct_id: 'c', $identity_at: 99 }, LOCAL, LOCAL],
  [
    "the identity decided later is right: the cookie's, without what was the other person's",
    { distinct_id: 'c', $identity_at: 101 },
    LOCAL,
    { distinct_id: 'c', $identity_at: 101, $device_id: 'device' },
  ],
  [
    'one identity: the session used later goes on',
    { distinct_id: 'local', $sesid: [60, 's2', 2] },
    LOCAL,
    { ...LOCAL, $sesid: [60, 's2', 2] },
  ],
  [
    'one identity: an older session of the cookie does not come back',
    { distinct_id: 'local', $sesid: [40, 's0', 0] },
    LOCAL,
    LOCAL,
  ],
  [
    'ids of an SDK that keeps no time: the cookie, which subdomains share',
    { distinct_id: 'c' },
    { distinct_id: 'l', plan: 1 },
    { distinct_id: 'c' },
  ],
])('%s', (_, cookie, local, expected) => expect(reconcile(cookie, local)).toEqual(expected))
