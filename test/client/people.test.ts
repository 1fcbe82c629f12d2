import { NOT_YET } from '../../src/client/notYet'
import { METHODS } from '../../src/client/features/methods'
import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

/** Returns the member at a path like 'featureFlags.getFlags'. */
const memberOf = (analytics: unknown, path: string) =>
  path.split('.').reduce((at: unknown, name) => (at as Record<string, unknown>)[name], analytics) as (
    ...args: unknown[]
  ) => unknown

describe('group', () => {
  test('adds the group to later events and captures $groupidentify once', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.group('company', 'acme', { plan: 'pro' })
    analytics.group('company', 'acme')
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$groupidentify', 'x'])
    expect(sent[0]!.properties).toMatchObject({
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { plan: 'pro' },
    })
    expect(sent[1]!.properties).toMatchObject({ $groups: { company: 'acme' }, $process_person_profile: true })
    expect(analytics.getGroups()).toEqual({ company: 'acme' })
    analytics.resetGroups()
    expect(analytics.getGroups()).toEqual({})
  })

  test('that was joined while opted out is announced after the opt-in', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.opt_out_capturing()
    analytics.group('company', 'acme', { plan: 'pro' })
    await settle()
    expect(sent).toEqual([])
    analytics.opt_in_capturing()
    await settle()
    expect(sent.map(({ event }) => event).sort()).toEqual(['$groupidentify', '$opt_in'])
    expect(sent.find(({ event }) => event === '$groupidentify')!.properties).toMatchObject({
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { plan: 'pro' },
    })
  })

  test('whose event a denial has dropped is announced after the opt-in', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.group('company', 'acme')
    analytics.opt_out_capturing()
    analytics.opt_in_capturing({ captureEventName: null })
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$groupidentify'])
  })

  test('requires a type and a key', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.group('company', '')
    expect(analytics.getGroups()).toEqual({})
    expect(lines).toHaveLength(1)
  })
})

describe('person properties', () => {
  test('are sent once, whatever the order of their names', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties({ a: 1, b: 2 }, { c: 3 })
    analytics.setPersonProperties({ b: 2, a: 1 }, { c: 3 })
    analytics.setPersonProperties()
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$set'])
    expect(sent[0]!.properties).toMatchObject({
      $set: { a: 1, b: 2 },
      $set_once: { c: 3 },
      $process_person_profile: true,
    })
  })

  test('are sent again after another event has changed them, and not if it has sent the same', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties({ plan: 'pro' })
    analytics.capture('downgrade', {}, { $set: { plan: 'free' } })
    analytics.setPersonProperties({ plan: 'pro' })
    analytics.capture('unrelated', {}, { $set: { size: 3 } })
    analytics.setPersonProperties({ plan: 'pro', size: 3 })
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$set', 'downgrade', '$set', 'unrelated'])
  })

  test('are sent again after a denial has dropped them, for another person, and after another tab has changed them', async () => {
    listenToConsole('warn')
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties({ plan: 'pro' })
    analytics.opt_out_capturing()
    analytics.opt_in_capturing({ captureEventName: null })
    analytics.setPersonProperties({ plan: 'pro' })
    analytics.reset()
    analytics.setPersonProperties({ plan: 'pro' })
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$set', '$set'])
    const other = startAnalytics()
    other.analytics.setPersonProperties({ plan: 'free' })
    await other.settle()
    analytics.setPersonProperties({ plan: 'pro' })
    await other.settle()
    expect(other.sent.map(({ properties }) => properties.$set)).toEqual([{ plan: 'free' }, { plan: 'pro' }])
  })

  test('of identify() with another id are sent as those of that person, in a session of its own', async () => {
    listenToConsole('warn')
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify('alice', { plan: 'pro' })
    analytics.identify('bob', { plan: 'free' }, { first: 1 })
    await settle()
    const [alice, bob] = sent
    expect(sent.map(({ event }) => event)).toEqual(['$identify', '$set'])
    expect(bob!.properties).toMatchObject({ distinct_id: 'bob', $set: { plan: 'free' }, $set_once: { first: 1 } })
    expect(bob!.properties.$session_id).not.toBe(alice!.properties.$session_id)
  })

  test('can be removed, and are then sent again', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties({ a: 1 })
    analytics.unsetPersonProperties('a')
    analytics.setPersonProperties({ a: 1 })
    await settle()
    expect(sent.map(({ properties }) => [properties.$set, properties.$unset])).toEqual([
      [{ a: 1 }, undefined],
      [undefined, ['a']],
      [{ a: 1 }, undefined],
    ])
  })

  test('createPersonProfile enables person profiles once', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.createPersonProfile()
    analytics.createPersonProfile()
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.$process_person_profile])).toEqual([
      ['$set', true],
      ['x', true],
    ])
  })
})

describe('alias', () => {
  test('links another id to the same person', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const id = analytics.get_distinct_id()
    analytics.alias('other')
    await settle()
    expect(sent[0]).toMatchObject({ event: '$create_alias', properties: { alias: 'other', distinct_id: id } })
  })

  test('acts as identify when given the current id', () => {
    listenToConsole('warn')
    const { analytics } = startAnalytics()
    expect(analytics.alias(analytics.get_distinct_id())).toBe(-1)
    expect(analytics.capture('x')!.properties.$is_identified).toBe(true)
  })
})

describe('person_profiles', () => {
  test.each([
    ['always', true],
    ['identified_only', false],
    ['never', false],
  ] as const)('%s: an anonymous event processes a person: %s', (person_profiles, expected) => {
    expect(startAnalytics({ person_profiles }).analytics.capture('x')!.properties.$process_person_profile).toBe(
      expected,
    )
  })

  test('never: methods that create a person have no effect and log a message', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics({ person_profiles: 'never' })
    const id = analytics.get_distinct_id()
    analytics.identify('u')
    analytics.alias('u')
    analytics.group('a', 'b')
    analytics.setPersonProperties({ a: 1 })
    expect(analytics.get_distinct_id()).toBe(id)
    expect(lines).toHaveLength(4)
  })

  test('sends the initial attribution only with the first person event of a page', async () => {
    const { analytics, sent, settle } = startAnalytics({ person_profiles: 'always' })
    analytics.capture('a')
    analytics.capture('b')
    await settle()
    expect(sent[0]!.$set_once).toMatchObject({ $initial_pathname: '/', $initial_referrer: '$direct' })
    expect(sent[1]!.$set_once).toBeUndefined()
  })
})

test('an identify() whose event a denial has dropped is linked after the opt-in', async () => {
  const { analytics, sent, settle } = startAnalytics()
  const anonymous = analytics.get_distinct_id()
  analytics.identify('ada')
  analytics.opt_out_capturing()
  analytics.opt_in_capturing({ captureEventName: null })
  analytics.identify('ada')
  await settle()
  expect(sent.filter(({ event }) => event === '$identify')).toMatchObject([
    { properties: { distinct_id: 'ada', $anon_distinct_id: anonymous } },
  ])
})

const ALL: Record<string, unknown> = { ...METHODS, ...NOT_YET }

test('every method exists and does not throw before init and after shutdown', async () => {
  listenToConsole('warn')
  const analytics = createAnalytics({
    features: FEATURES,
    makeLoad: () => () => Promise.reject(new Error('no extension')),
  }) as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const path of Object.keys(ALL)) {
    const expected = ALL[path]
    // Functions that remove a listener are created per call.
    const isStop = typeof expected === 'function'
    expect([path, memberOf(analytics, path)('x')]).toEqual([path, isStop ? expect.any(Function) : expected])
  }
  const started = startAnalytics()
  await started.analytics.shutdown()
  expect(started.analytics.get_distinct_id()).toBe('')
})

test('methods of unsupported features have no effect and log a message', () => {
  const { analytics } = startAnalytics()
  const lines = listenToConsole('warn')
  const listener = jest.fn()
  for (const path of Object.keys(NOT_YET)) memberOf(analytics, path)(listener)
  expect(lines).toHaveLength(Object.keys(NOT_YET).length)
  expect(lines[0]).toContain('captureLog is not in this version')
})

test('METHODS lists every method of a client', () => {
  const { analytics } = startAnalytics()
  listenToConsole('error')
  for (const path of Object.keys(METHODS)) expect([path, typeof memberOf(analytics, path)]).toEqual([path, 'function'])
  expect(analytics.getGroups()).toEqual({})
})

test('people.set, people.set_once and setInternalOrTestUser set person properties', async () => {
  const { analytics, sent, settle } = startAnalytics()
  const done = jest.fn()
  analytics.people.set('plan', 'pro', done)
  analytics.people.set({ a: 1 })
  analytics.people.set_once('first', 1)
  analytics.setInternalOrTestUser()
  await settle()
  expect(sent.map(({ properties }) => [properties.$set, properties.$set_once])).toEqual([
    [{ plan: 'pro', a: 1, $internal_or_test_user: true }, { first: 1 }],
  ])
  expect(done).toHaveBeenCalledTimes(1)
})

describe('bootstrap of an identified person', () => {
  const bootstrap = { distinctID: 'ada', isIdentifiedID: true }

  test('sets the id of a new visitor without an event', async () => {
    const { analytics, sent, settle } = startAnalytics({ bootstrap })
    await settle()
    expect([analytics.get_distinct_id(), sent]).toEqual(['ada', []])
  })

  test('links a previously anonymous visitor', async () => {
    const first = startAnalytics()
    const anonymous = first.analytics.get_distinct_id()
    await first.settle()
    await first.analytics.shutdown()
    const { analytics, sent, settle } = startAnalytics({ bootstrap })
    await settle()
    expect(sent).toMatchObject([
      { event: '$identify', properties: { distinct_id: 'ada', $anon_distinct_id: anonymous } },
    ])
    await analytics.shutdown()
    const next = startAnalytics({ bootstrap })
    await next.settle()
    expect(next.sent).toEqual([])
  })
})

test('captures AI trace events with string properties', async () => {
  const { analytics, sent, settle } = startAnalytics()
  analytics.captureTraceFeedback(7, 'good')
  analytics.captureTraceMetric('t', 'score', 0.5)
  await settle()
  expect(sent.map(({ event, properties }) => [event, properties])).toMatchObject([
    ['$ai_feedback', { $ai_trace_id: '7', $ai_feedback_text: 'good' }],
    ['$ai_metric', { $ai_trace_id: 't', $ai_metric_name: 'score', $ai_metric_value: '0.5' }],
  ])
})
