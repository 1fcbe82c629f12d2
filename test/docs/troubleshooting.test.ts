/** @jest-environment node */
import { read } from '../support/markdown'

const PAGE = 'docs/guides/troubleshooting.md'

/** Returns the names of a union of strings in the types of the SDK. */
const membersOf = (type: string): string[] => {
  const [, union] = new RegExp(`export type ${type} =\\n((?: {2}\\| '\\w+'\\n)+)`).exec(read('src/types.ts'))!
  return [...union!.matchAll(/'(\w+)'/g)].map(([, name]) => name!)
}

const reasonsBelow = (heading: string): string[] => {
  const [, section] = read(PAGE).split(`## ${heading}\n`)
  return [...section!.split('\n## ')[0]!.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name!)
}

test.each([
  ['Dropped events', 'DropReason'],
  ['No recording', 'RecordingReason'],
])(`${PAGE}: "%s" has every %s, with what to do`, (heading, type) => {
  expect(membersOf(type).length).toBeGreaterThan(10)
  expect(reasonsBelow(heading).sort()).toEqual(membersOf(type).sort())
})

test(`${PAGE} names only options and methods that exist`, () => {
  const known = read('docs/reference/configuration.md') + read('docs/reference/javascript-api.md')
  const named = [...read(PAGE).matchAll(/`(?:analytics\.)?([a-z_]+[A-Za-z_]*)(?:\(|: )/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})
