import { markdownTable } from '../support/markdownTable.mjs'

/**
 * What Playwright's JSON report (its reporter `json`) tells of each test: `group`, the title of what it is described
 * under; `name`, its own title up to the colon; and its `account`, none if it failed.
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

/** The report: faults × endings of a page, then everything else that was tried. */
export const tables = (accounts) => {
  const matrix = accounts.filter(isFault)
  const endings = [...new Set(matrix.map(({ group }) => group))]
  const faults = [...new Set(matrix.map(({ name }) => name))]
  return [
    `### Faults, and how the page ends\n\nStored of captured · requests with events that were made · events that the service got once more than it needed. Each row is a fault that lasts while the page captures and ends; then it is over and another page opens.\n\n${markdownTable(
      ['fault', ...endings],
      faults.map((fault) => [
        fault,
        ...endings.map((ending) => cell(matrix.find(({ name, group }) => name === fault && group === ending))),
      ]),
    )}`,
    `### Special cases\n\nBytes are those of bodies, as they travelled; the last column is what of them would not have been sent without repeats.\n\n${markdownTable(
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
