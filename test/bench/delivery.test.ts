/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const TABLES = pathToFileURL(resolve(__dirname, '../../bench/delivery/tables.mjs')).href

const account = (captured: number, stored: number) => ({
  captured,
  stored,
  requests: 2,
  bytes: 900,
  repeats: 1,
  repeatBytes: 45,
})
const spec = (title: string, annotation?: object) => ({
  title,
  ok: !!annotation,
  tests: [{ annotations: annotation ? [{ type: 'delivery', description: JSON.stringify(annotation) }] : [] }],
})

test('the delivery report converts test results into a table of faults by endings, with failed cells and a list of other tests', () => {
  const report = {
    suites: [
      {
        title: 'faultMatrix.spec.ts',
        specs: [spec('two tabs: 40 captured', account(40, 39))],
        suites: [
          {
            title: 'a page is reloaded',
            specs: [spec('while offline: 20 captured', account(20, 20)), spec('while blocked: 20 captured')],
          },
          {
            title: 'a page crashes',
            specs: [
              spec('while offline: 20 captured', account(20, 19)),
              spec('while blocked: 20 captured', account(20, 20)),
            ],
          },
          { title: 'the disk is full', specs: [spec('its tab is closed: 20 captured')] },
        ],
      },
    ],
  }
  const script = `import { accountsOf, tables } from '${TABLES}'; console.log(JSON.stringify(tables(accountsOf(${JSON.stringify(report)}))))`
  const texts = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
  ) as string[]
  const cells = texts.map((text) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  )
  expect(cells).toEqual([
    [
      ['fault', 'a page is reloaded', 'a page crashes'],
      expect.anything(),
      ['while offline', '20 of 20 · 2 · 1', '19 of 20 · 2 · 1'],
      ['while blocked', '**failed**', '20 of 20 · 2 · 1'],
    ],
    [
      ['what happens', 'captured', 'stored', 'requests', 'repeats', 'bytes', 'bytes of repeats'],
      expect.anything(),
      ['two tabs', '40', '39', '2', '1', '900', '45'],
      ['the disk is full: its tab is closed', '**failed**', '', '', '', '', ''],
    ],
  ])
})
