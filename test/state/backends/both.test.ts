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
  ['uses the cookie when there is no local storage entry', { distinct_id: 'c' }, undefined, { distinct_id: 'c' }],
  ['uses local storage when there is no cookie', undefined, LOCAL, LOCAL],
  ['uses local storage when its identity is newer', { distinct_id: 'c', $identity_at: 99 }, LOCAL, LOCAL],
  [
    'uses the cookie when its identity is newer, without properties of the previous person',
    { distinct_id: 'c', $identity_at: 101 },
    LOCAL,
    { distinct_id: 'c', $identity_at: 101, $device_id: 'device' },
  ],
  [
    'continues the most recently active session when the identities are equal',
    { distinct_id: 'local', $sesid: [60, 's2', 2] },
    LOCAL,
    { ...LOCAL, $sesid: [60, 's2', 2] },
  ],
  [
    'does not restore an older session from the cookie when the identities are equal',
    { distinct_id: 'local', $sesid: [40, 's0', 0] },
    LOCAL,
    LOCAL,
  ],
  [
    'uses the ids of the cookie, which subdomains share, and no other values, when the identities are equal and equally new',
    { ...LOCAL, $device_id: 'shared', plan: 'old' },
    LOCAL,
    { ...LOCAL, $device_id: 'shared' },
  ],
  [
    'uses the ids of local storage when its identity is equal and newer',
    { ...LOCAL, $identity_at: 99, $device_id: 'shared' },
    LOCAL,
    LOCAL,
  ],
  [
    'uses the cookie shared by subdomains when an SDK stored ids without a time',
    { distinct_id: 'c' },
    { distinct_id: 'l', plan: 1 },
    { distinct_id: 'c' },
  ],
])('reconcile %s', (_, cookie, local, expected) => expect(reconcile(cookie, local)).toEqual(expected))
