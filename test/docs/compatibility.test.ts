/** @jest-environment node */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NOT_YET } from '../../src/client/notYet'
import { METHODS } from '../../src/client/publicApi'
import { OPTIONS } from '../../src/config/options'
import { RENAMES } from '../../src/config/renames'

const page = readFileSync(resolve(__dirname, '../../docs/compatibility.md'), 'utf8')
const names = [...Object.keys(METHODS), ...Object.keys(NOT_YET), ...Object.keys(OPTIONS), ...Object.keys(RENAMES)]

test.each(names)('docs/compatibility.md says how %s compares', (name) => {
  expect(page).toMatch(new RegExp(`\`${name.replace('.', '\\.')}(\\(\\))?\``))
})

test('a member that is said to be missing is missing', () => {
  for (const row of page
    .split('\n')
    .filter((line) => /\| ✘ \|/.test(line))
    .slice(0, 20)) {
    const members = [...row.split('|')[1]!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!)
    expect(members.filter((name) => Object.keys(METHODS).includes(name))).toEqual([])
  }
})
