import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configTable } from '../../src/config.ts'
import { temporaryFolder } from '../support/startService.ts'

const ROOT = resolve(__dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const FILES = ['examples/deploy/Dockerfile', 'examples/deploy/trailmark.service', 'docs/operations.md']

test.each(FILES)('%s speaks of settings that there are', (file) => {
  const known = configTable().map(({ name }) => name)
  const named = [...read(file).matchAll(/\b(?:TRAILMARK|CLICKHOUSE)_[A-Z_]+\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(1)
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([])
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const withSystemd = hasSystemd ? test : test.skip
withSystemd('systemd finds nothing wrong with the unit', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'trailmark.service')
  // systemd looks whether the program is there, which differs from machine to machine.
  writeFileSync(
    file,
    read('examples/deploy/trailmark.service').replace('/usr/bin/node', process.execPath).replace('Documentation=', '#'),
  )
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('trailmark.service'))).toEqual([])
  expect(status).toBe(0)
})
