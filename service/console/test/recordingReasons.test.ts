/** @jest-environment node */
import { REASONS, whyOf } from '../src/lib/recordingReasons'

const said = ($recording_status: string, $sdk_debug_replay_stop_reason?: string) => ({
  $recording_status,
  $sdk_debug_replay_stop_reason,
})

test('the latest event with a recording status decides why a session has no recording', () => {
  expect(whyOf([{}, said('disabled', 'sampling'), said('active')], false)).toBe(REASONS.sampling)
  expect(whyOf([said('buffering')], false)).toBe(REASONS.trigger)
  expect(whyOf([said('active')], false)).toContain('before the first part was sent')
  expect(whyOf([{}], false)).toContain('No event of the session says')
  expect(whyOf([], false)).toBeUndefined()
})

test('a recording that goes on until the end of the session has no reason to stop', () => {
  expect(whyOf([said('active')], true)).toBeUndefined()
  expect(whyOf([{}], true)).toBeUndefined()
  expect(whyOf([said('active', 'idle'), said('active')], true)).toBe(REASONS.idle)
})

test('values that no SDK sends are shown in a bounded length', () => {
  expect(whyOf([said('disabled', 'toString')], false)).toBe('The SDK reports toString.')
  expect(whyOf([said('constructor')], true)).toBeUndefined()
  expect(whyOf([said('active', 'x'.repeat(1000))], false)!.length).toBeLessThan(150)
})
