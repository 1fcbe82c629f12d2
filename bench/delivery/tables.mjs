import { markdownTable } from '../support/markdownTable.mjs'

/**
 * Returns an entry for each test in Playwright's JSON report: `group`, the titles of its `describe` blocks; `name`, its own
 * title up to the colon; `account`, its counts, undefined if it failed.
 */
export const accountsOf = (report) => {
  const walk = ({ specs = [], suites = [] }, group = '') => [
    ...specs.map(({ title, ok, tests }) => ({
      group,
      name: title.split(':')[0],
      account: ok ? JSON.parse(tests[0].annotations.find(({ type }) => type === 'delivery').description) : undefined,
    })),
    ...suites.flatMap((suite) => walk(suite, [group, suite.title].filter(Boolean).join(', '))),
  ]
  // The outermost suites are the files.
  return report.suites.flatMap((file) => walk(file))
}

const FAILED = '**failed**'
const isFault = ({ name }) => name.startsWith('while ')
const cell = (found) =>
  found?.account
    ? `${found.account.stored} of ${found.account.captured} · ${found.account.requests} · ${found.account.repeats}`
    : FAILED

/** Returns the report: a table of faults by endings of a page, and a table of all other tests. */
export const tables = (accounts) => {
  const matrix = accounts.filter(isFault)
  const endings = [...new Set(matrix.map(({ group }) => group))]
  const faults = [...new Set(matrix.map(({ name }) => name))]
  return [
    `### Faults by ending of the page\n\nStored of captured · requests with events · events that the service received more than once. Each row is a fault that lasts while the page captures and ends. Then the fault is over and another page opens.\n\n${markdownTable(
      ['fault', ...endings],
      faults.map((fault) => [
        fault,
        ...endings.map((ending) => cell(matrix.find(({ name, group }) => name === fault && group === ending))),
      ]),
    )}`,
    `### Special cases\n\nBytes are those of request bodies as sent. The last column has the bytes that duplicates added.\n\n${markdownTable(
      ['what happens', 'captured', 'stored', 'requests', 'repeats', 'bytes', 'bytes of repeats'],
      accounts
        .filter((each) => !isFault(each))
        .map(({ group, name, account }) => [
          [group, name].filter(Boolean).join(': '),
          ...(account
            ? [account.captured, account.stored, account.requests, account.repeats, account.bytes, account.repeatBytes]
            : [FAILED, '', '', '', '', '']),
        ]),
    )}`,
  ]
}
