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

test('a line is an object, or the same to read', () => {
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

test('a line is a line, whatever is in it', () => {
  expect(lineOf('one\ntwo').match(/\n/g)).toHaveLength(1)
})

test('what matters less than asked for is not written', () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', level: 'warn', secrets: [], write: (text) => void lines.push(text) })
  log('a', { level: 'debug' })
  log('b')
  log('c', { level: 'warn' })
  log('d', { level: 'error' })
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['c', 'd'])
})

describe.each(['json', 'text'] as const)('no secret is in a line of %s', (format) => {
  test.each([
    ['a header', 'Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['a header of a password', 'authorization: basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['an address with a password', 'connect http://mine:hunter2@db:8123/ failed', 'hunter2'],
    ['a key of ours', 'the key tmk_Abc123Def456Ghi789 is', 'Abc123Def456Ghi789'],
    ["another service's key", 'phx_Abc123Def456Ghi789', 'Abc123Def456Ghi789'],
    ['an address with a key', 'GET /x?limit=1&personal_api_key=verysecret&y=2', 'verysecret'],
    ['an address with a token', 'GET /x?token=verysecret', 'verysecret'],
    ['a secret that was given', 'said given-secret loudly', 'given-secret'],
    ['a secret with quotes', 'said odd"secret\\ loudly', 'odd'],
  ])('%s', (_, text, secret) => {
    const secrets = ['given-secret', 'odd"secret\\']
    expect(lineOf(text, {}, { format, secrets })).not.toContain(secret)
    expect(lineOf('Told', { what: text, deep: { down: [text] } }, { format, secrets })).not.toContain(secret)
  })
})
