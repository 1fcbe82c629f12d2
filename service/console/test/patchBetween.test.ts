import { mergePatch } from '../../src/lib/mergePatch.ts'
import { patchBetween } from '../src/lib/patchBetween.ts'

test.each<[unknown, unknown]>([
  [{ a: 1, b: { c: 1, d: 2 } }, { b: { d: 3 } }],
  [{ a: { masking: { x: true } } }, { a: { masking: {} } }],
  [{ a: false }, { a: { b: [1] } }],
  [{ a: { b: [1, 2] } }, { a: { b: [2] } }],
  [{ a: { b: 1 } }, { a: true }],
])('the service turns %j into %j by the patch between them', (before, after) => {
  expect(mergePatch(before, patchBetween(before, after))).toEqual(after)
})
