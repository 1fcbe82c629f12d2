import { createLog, type LogFormat } from '../../src/lib/log.ts'

const lineOf = (
  message: string,
  facts: Record<string, unknown> = {},
  { format = 'json', secrets = [] }: { format?: LogFormat; secrets?: string[] } = {},
): string => {
  const lines: string[] = []
  createLog({ format, level: 'debug', secrets, write: (text) => void lines.push(text), now: () => new Date(0) })(
    message,
    facts,
  )
  return lines.join('')
}

test('a log line is a JSON object or equivalent text', () => {
  expect(JSON.parse(lineOf('Ready', { level: 'warn', port: 1 }))).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'Ready',
    port: 1,
  })
  expect(lineOf('Ready', { level: 'warn', port: 1, nothing: undefined }, { format: 'text' })).toBe(
    '1970-01-01T00:00:00.000Z WARN  Ready port=1\n',
  )
})

test('a log line never contains a line break', () => {
  expect(lineOf('one\ntwo').match(/\n/g)).toHaveLength(1)
})

test('the log omits lines below its level', () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', level: 'warn', secrets: [], write: (text) => void lines.push(text) })
  log('a', { level: 'debug' })
  log('b')
  log('c', { level: 'warn' })
  log('d', { level: 'error' })
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['c', 'd'])
})

describe.each(['json', 'text'] as const)('a log line of format %s redacts', (format) => {
  test.each([
    ['a header', 'Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['a header with a password', 'authorization: basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['a URL with a password', 'connect http://mine:hunter2@db:8123/ failed', 'hunter2'],
    ['a personal API key', 'the key tmk_Abc123Def456Ghi789 is', 'Abc123Def456Ghi789'],
    ["another service's key", 'phx_Abc123Def456Ghi789', 'Abc123Def456Ghi789'],
    ['a URL with a key', 'GET /x?limit=1&personal_api_key=verysecret&y=2', 'verysecret'],
    ['a URL with a token', 'GET /x?token=verysecret', 'verysecret'],
    ['a configured secret', 'said given-secret loudly', 'given-secret'],
    ['a configured secret with quotes', 'said odd"secret\\ loudly', 'odd'],
  ])('%s', (_, text, secret) => {
    const secrets = ['given-secret', 'odd"secret\\']
    expect(lineOf(text, {}, { format, secrets })).not.toContain(secret)
    expect(lineOf('Told', { what: text, deep: { down: [text] } }, { format, secrets })).not.toContain(secret)
  })
})
