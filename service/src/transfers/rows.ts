import { createReadStream } from 'node:fs'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import type { Fields } from '../lib/fields.ts'
import { ImportError } from './importError.ts'
import { zipEntries } from './zip.ts'

/** One row of a file. A string: why it cannot be read. */
export interface FileRow {
  /** Number of the row in its file, from 1. */
  readonly line: number
  readonly value: Fields | string
}

// An event may have 2 MB.
const MAX_ROW_CHARS = 4_000_000

/** Yields the text of a stream, decoded as UTF-8. */
const textIn = async function* (stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) yield decoder.decode(chunk as Buffer, { stream: true })
  const last = decoder.decode()
  if (last) yield last
}

/** Yields lines. A longer one than allowed is `undefined`. */
const linesIn = async function* (stream: Readable): AsyncGenerator<string | undefined> {
  let rest = ''
  let isTooLong = false
  for await (const text of textIn(stream)) {
    const lines = text.split('\n')
    for (const [at, line] of lines.entries()) {
      if (!isTooLong) rest += line
      if (rest.length > MAX_ROW_CHARS) {
        isTooLong = true
        rest = ''
      }
      if (at === lines.length - 1) break
      yield isTooLong ? undefined : rest
      rest = ''
      isTooLong = false
    }
  }
  if (rest || isTooLong) yield isTooLong ? undefined : rest
}

const jsonRows = async function* (stream: Readable): AsyncGenerator<FileRow> {
  let line = 0
  for await (const text of linesIn(stream)) {
    line += 1
    if (text !== undefined && !text.trim()) continue
    let value: unknown
    try {
      value = text === undefined ? 'row_too_long' : JSON.parse(text)
    } catch {
      value = 'invalid_json'
    }
    const isRow = typeof value === 'object' && value !== null && !Array.isArray(value)
    yield {
      line,
      value: isRow
        ? (value as Fields)
        : text === undefined
          ? 'row_too_long'
          : value === 'invalid_json'
            ? value
            : 'not_an_object',
    }
  }
}

/** Yields the cells of rows of CSV (RFC 4180). */
const cellsIn = async function* (stream: Readable): AsyncGenerator<readonly string[]> {
  let row: string[] = []
  let cell = ''
  let length = 0
  let isQuoted = false
  let wasQuote = false
  for await (const text of textIn(stream)) {
    for (const sign of text) {
      if ((length += sign.length) > MAX_ROW_CHARS)
        throw new ImportError('a row has more than 4 MB. Is a quote missing?')
      if (isQuoted && !wasQuote && sign !== '"') cell += sign
      else if (isQuoted && !wasQuote) wasQuote = true
      else if (wasQuote && sign === '"') {
        cell += '"'
        wasQuote = false
      } else {
        if (wasQuote) isQuoted = wasQuote = false
        if (sign === ',' || sign === '\n') {
          row.push(cell)
          cell = ''
          if (sign === '\n') {
            yield row
            row = []
            length = 0
          }
        } else if (sign === '"' && cell === '') isQuoted = true
        else if (sign !== '\r') cell += sign
      }
    }
  }
  if (isQuoted && !wasQuote) throw new ImportError('the file ends inside of a quoted cell')
  if (cell || row.length) yield [...row, cell]
}

const csvRows = async function* (stream: Readable): AsyncGenerator<FileRow> {
  let head: readonly string[] | undefined
  let line = 0
  for await (const cells of cellsIn(stream)) {
    line += 1
    if (!head) {
      head = cells.map((each) => each.replace(/^\uFEFF/, ''))
      continue
    }
    if (cells.length === 1 && cells[0] === '') continue
    const columns = head
    const value =
      cells.length === columns.length
        ? Object.fromEntries(columns.map((name, at) => [name, cells[at]!]))
        : 'wrong_cells'
    yield { line, value }
  }
}

/** Returns the unpacked stream. It emits the errors of both streams. */
const through = (stream: Readable, unpack: Transform): Readable => pipeline(stream, unpack, () => {})

const rowsOf = (name: string, stream: Readable): AsyncGenerator<FileRow> => {
  const isPacked = /\.gz$/i.test(name)
  const plain = isPacked ? through(stream, createGunzip()) : stream
  return (/\.csv(\.gz)?$/i.test(name) ? csvRows : jsonRows)(plain)
}

/** A file of an import, or one in an archive. */
export interface RowFile {
  readonly name: string
  readonly rows: () => AsyncGenerator<FileRow>
}

/** Returns the files in a file: itself, or those of a zip archive. Rejects with `ImportError`. */
export const filesIn = async (path: string): Promise<readonly RowFile[]> => {
  if (!/\.zip$/i.test(path)) return [{ name: path, rows: () => rowsOf(path, createReadStream(path)) }]
  const entries = await zipEntries(path)
  return entries
    .filter(({ name }) => /\.(jsonl?|csv|ndjson)(\.gz)?$/i.test(name))
    .map(({ name, start, end, isDeflated }) => ({
      name: `${path}/${name}`,
      rows: () => {
        const stream = createReadStream(path, { start, end })
        return rowsOf(name, isDeflated ? through(stream, createInflateRaw()) : stream)
      },
    }))
}
