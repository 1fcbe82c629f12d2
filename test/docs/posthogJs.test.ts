/** @jest-environment node */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NOT_YET } from '../../src/client/notYet'
import { METHODS } from '../../src/client/features/methods'
import { OPTIONS } from '../support/options'
import { RENAMES } from '../../src/config/renames'

const page = readFileSync(resolve(__dirname, '../../docs/reference/posthog-js.md'), 'utf8')
const names = [...Object.keys(METHODS), ...Object.keys(NOT_YET), ...Object.keys(OPTIONS), ...Object.keys(RENAMES)]

test.each(names)('docs/reference/posthog-js.md compares %s', (name) => {
  expect(page).toMatch(new RegExp(`\`${name.replace('.', '\\.')}(\\(\\))?\``))
})

test('docs/reference/posthog-js.md marks no existing method as missing', () => {
  for (const row of page
    .split('\n')
    .filter((line) => /\| ✘ \|/.test(line))
    .slice(0, 20)) {
    const members = [...row.split('|')[1]!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!)
    expect(members.filter((name) => Object.keys(METHODS).includes(name))).toEqual([])
  }
})
