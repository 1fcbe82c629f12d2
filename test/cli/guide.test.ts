/** @jest-environment node */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { COMMANDS } from '../../src/cli/commands'

const ROOT = resolve(__dirname, '../..')
const GUIDE = readFileSync(resolve(ROOT, 'docs/guides/cli.md'), 'utf8')
const lines = [...GUIDE.matchAll(/^npx trailmark@latest (\S+) ?(.*)$/gm)].map(
  ([, name, rest]) => [name!, rest!] as const,
)

/** Returns the help of a command. */
const helpOf = async (name: string): Promise<string> => {
  const out = jest.fn<undefined, [string]>()
  expect(await COMMANDS[name]!.run(['--help'], { out, err: jest.fn(), cwd: ROOT, env: {} })).toBe(0)
  return out.mock.calls[0]![0]
}

test.each(lines)('the guide calls %s %s with options that it has', async (name, rest) => {
  const help = await helpOf(name)
  for (const [option] of rest.matchAll(/--[\w-]+/g)) expect(help).toContain(option)
})

test('the guide lists each kind of finding', () => {
  const sources = ['checks', 'csp', 'service'].map((file) =>
    readFileSync(resolve(ROOT, `src/cli/check/${file}.ts`), 'utf8'),
  )
  const codes = sources.flatMap((text) =>
    [...text.matchAll(/(?:(?:error|warning|attempt)\(\s*|code: (?:[^'\n]* \? )?)'([\w-]+)'/g)].map(([, code]) => code!),
  )
  expect(codes.length).toBeGreaterThan(10)
  expect([...new Set(codes)].filter((code) => !GUIDE.includes(`\`${code}\``))).toEqual([])
})

test('the command of the package runs each command of the table', () => {
  const bin = readFileSync(resolve(ROOT, 'bin/trailmark.mjs'), 'utf8')
  const [, list = ''] = /OF_SDK = \[([^\]]*)\]/.exec(bin) ?? []
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name!)
  expect(names.sort()).toEqual([...Object.keys(COMMANDS), 'sourcemaps'].sort())
})
