import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { MAX_ROWS } from '../../src/heatmaps/points.ts'
import { BODY_LIMITS } from '../../src/http/bodyMemory.ts'
import { MAX_FLAGS_BYTES } from '../../src/flags/routes/evaluation.ts'
import { MAX_HEADERS_MS } from '../../src/http/server.ts'
import { MAX_API_BYTES } from '../../src/http/serveRoutes.ts'
import { FREE_BYTES, MAX_BODY_BYTES, MAX_RATIO, MAX_TEXT_BYTES } from '../../src/ingest/decode.ts'
import { LARGE_AT_ONCE, MAX_DELIVERY_CHANGES } from '../../src/ingest/ingest.ts'
import { MAX_LZ64_CHARS } from '../../src/ingest/lz64.ts'
import { MAX_CHANGE_BYTES, MAX_VALUE_BYTES } from '../../src/persons/bounds.ts'
import { MAX_CHANGES } from '../../src/persons/identityUpdate.ts'
import { MAX_DEPTH } from '../../src/lib/storableJson.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_VALUES, MAX_EVENTS } from '../../src/ingest/split.ts'
import { MAX_TOKENS } from '../../src/ingest/tokens.ts'
import { MAX_MAP_IDS, MAX_NEW_STACKS, STACKS_PER_ISSUE } from '../../src/errorTracking/assignStacks.ts'
import { MAX_MAP_BYTES, MAX_MAP_VALUES, MAX_MAPPINGS } from '../../src/errorTracking/mapFile.ts'
import { MAX_JOB_MS as MAX_MAP_MS } from '../../src/errorTracking/mapper.ts'
import { MAX_UPLOAD_BYTES } from '../../src/errorTracking/sourceMaps.ts'
import { MAX_WAITING_BYTES } from '../../src/recordings/chunkStore.ts'
import { MAX_HELD_BYTES, MAX_WAITING, MAX_WAITING_LOOKUPS } from '../../src/recordings/ingest.ts'
import {
  MAX_AGE_MS,
  MAX_BODY_BYTES as MAX_RECORDING_BYTES,
  MAX_EVENT_DEPTH,
  MAX_FIELD_BYTES,
  MAX_ITEM_EVENTS,
  MAX_ITEMS,
  MAX_SENT_BYTES,
  MAX_VALUES,
} from '../../src/recordings/readBody.ts'
import { MAX_JOB_MS } from '../../src/recordings/thread.ts'

const FILE = resolve(__dirname, '../../../docs/operate/security.md')
const [START, END] = ['<!-- limits of bodies -->', '<!-- end of limits -->']

const bytes = (count: number) => (count >= 1024 * 1024 ? `${count / 1024 / 1024} MB` : `${count / 1024} kB`)
const seconds = (ms: number) => `${ms / 1_000} s`
const count = (value: number) => value.toLocaleString('en-US')

/** Rows of the table: what is limited, the limit, and what happens beyond it. */
const ROWS: readonly (readonly [what: string, bound: string, beyond: string])[] = [
  ['A delivery, as sent', bytes(MAX_BODY_BYTES), '413 `body_too_large`'],
  ['A delivery, decompressed', bytes(MAX_BODY_BYTES), '413 `body_too_large`'],
  [
    'Decompressed bytes per compressed byte',
    `${MAX_RATIO}, after the first ${bytes(FREE_BYTES)}`,
    '413 `body_too_large`',
  ],
  ['A form, or base64', bytes(MAX_TEXT_BYTES), '413 `body_too_large`'],
  [
    '`lz64`, as base64 / decompressed',
    `${bytes(MAX_LZ64_CHARS.encoded)} / ${bytes(MAX_LZ64_CHARS.decoded)}`,
    '413 `body_too_large`',
  ],
  ['JSON of a flags request', bytes(MAX_FLAGS_BYTES), '413 `body_too_large`'],
  ['A body sent to the API', bytes(MAX_API_BYTES), '413 `body_too_large`'],
  ['Events of a delivery', count(MAX_EVENTS), '413 `body_too_large`'],
  ['Project tokens of a delivery', count(MAX_TOKENS), 'events with further tokens are rejected: `unknown_token`'],
  ['One event, as JSON', bytes(MAX_EVENT_BYTES), 'this event is rejected: `event_too_large`'],
  ['Keys and values of an event', count(MAX_EVENT_VALUES), 'this event is rejected: `too_many_values`'],
  ['Levels of nesting in an event', count(MAX_DEPTH), 'this event is rejected: `properties_too_deep`'],
  [
    'Kinds of points in a heatmap event (URL, type, size of the window)',
    count(MAX_ROWS),
    'points of further kinds are ignored',
  ],
  ['Changes of persons and groups by an event', count(MAX_CHANGES), 'this event is rejected: `too_many_changes`'],
  ['A value of a person or group, as JSON', bytes(MAX_VALUE_BYTES), 'this event is rejected: `changes_too_large`'],
  ['All such values of an event', bytes(MAX_CHANGE_BYTES), 'this event is rejected: `changes_too_large`'],
  [
    'Changes of persons and groups by a delivery',
    count(MAX_DELIVERY_CHANGES),
    'the remaining events are rejected: `too_many_changes`',
  ],
  ['Time for the headers of a request', seconds(MAX_HEADERS_MS), 'the connection is closed'],
  ['Time for a body', seconds(BODY_LIMITS.maxMs), '408 `body_too_slow`, and the connection is closed'],
  [
    'Rate of a body',
    `at least ${bytes(BODY_LIMITS.bytesPerSecond)}/s, large bodies (over ${bytes(BODY_LIMITS.smallBytes)}) ${bytes(BODY_LIMITS.largeBytesPerSecond)}/s; at most ${seconds(BODY_LIMITS.maxBehindMs)} behind this rate`,
    '408 `body_too_slow`, and the connection is closed',
  ],
  [
    'Concurrent bodies',
    count(BODY_LIMITS.unfinished),
    'the slowest body of the client with the most gets a 429 `ingest_overloaded`',
  ],
  [
    'Memory of large bodies (over ' + bytes(BODY_LIMITS.smallBytes) + ')',
    '`TRAILMARK_INGEST_MEMORY_MB`',
    'a body waits for memory; a stalled body (less than 1 kB in a second) of the client that holds the most gets a 429',
  ],
  ['Memory of small bodies', 'half of `TRAILMARK_INGEST_MEMORY_MB`, in addition', 'the same'],
  ['Share of one client in either', `${BODY_LIMITS.clientShare * 100} %`, 'the same'],
  ['Large bodies parsed concurrently', count(LARGE_AT_ONCE), 'the others wait, and clients take turns'],
]

/** Limits of session recordings. */
const RECORDING_ROWS: typeof ROWS = [
  ['A body, as sent', bytes(MAX_SENT_BYTES), '413 `body_too_large`'],
  ['A body, decompressed', bytes(MAX_RECORDING_BYTES), '413 `body_too_large`'],
  ['Compressed fields of a body, decompressed', bytes(MAX_FIELD_BYTES), 'events whose fields do not fit are left out'],
  [
    'Keys and values of a body, and of its compressed fields',
    count(MAX_VALUES),
    '413 `body_too_large`, or the fields that do not fit are left out',
  ],
  ['Chunks of a body', count(MAX_ITEMS), '413 `body_too_large`'],
  ['Events of a chunk', count(MAX_ITEM_EVENTS), 'this chunk is rejected: `invalid_data`'],
  ['Levels of nesting in an event', count(MAX_EVENT_DEPTH), 'this event is left out, and the recording says so'],
  ['Age of an event', `${MAX_AGE_MS / 86_400_000} days`, 'this event is left out'],
  ['Time to read a body', seconds(MAX_JOB_MS), '413 `body_too_large`'],
  ['Bodies that wait to be read', count(MAX_WAITING), '429 `ingest_overloaded`'],
  ['Bytes that wait to be stored', `${MAX_WAITING_BYTES / 1_000_000} MB`, '429 `ingest_overloaded`'],
  [
    'Bytes of bodies that were read and are not stored yet',
    `${MAX_HELD_BYTES / 1_000_000} MB`,
    '429 `ingest_overloaded`',
  ],
  [
    'Bodies of a client that wait for the start of sessions whose ids are not UUIDv7: one query a body',
    count(MAX_WAITING_LOOKUPS),
    '429 `ingest_overloaded`',
  ],
  [
    'Bytes of a project per day',
    '10,000 MB, or `day_megabytes` of the project',
    '200 with `quota_limited`: the SDK stops recording the session',
  ],
]

/** Limits of source maps. */
const SOURCE_MAP_ROWS: typeof ROWS = [
  ['A source map, as sent', bytes(MAX_UPLOAD_BYTES), '413 `body_too_large`'],
  ['A source map, decompressed', bytes(MAX_MAP_BYTES), '400 `invalid_input`'],
  ['Keys and values of its JSON', count(MAX_MAP_VALUES), '400 `invalid_input`'],
  ['Its mappings and lines', count(MAX_MAPPINGS), '400 `invalid_input`'],
  ['Time to read one', seconds(MAX_MAP_MS), '400 `invalid_input`, or the frames are shown without their source'],
]

/** Limits of issues of exceptions. */
const ISSUE_ROWS: typeof ROWS = [
  [
    'Issues of a project',
    '`TRAILMARK_ERROR_ISSUES` (10,000)',
    'further kinds of exceptions share the issue “Other exceptions”',
  ],
  [
    'Stacks of a project that belong to issues',
    `${STACKS_PER_ISSUE} times \`TRAILMARK_ERROR_ISSUES\`, those with the latest events`,
    'older ones are not part of an issue until later ones are deleted',
  ],
  ['New stacks that one request assigns to issues', count(MAX_NEW_STACKS), '`pending` in the response'],
  ['Debug ids of a stack', count(MAX_MAP_IDS), 'a source map of a further file that arrives late is not applied'],
]

const tableOf = (rows: typeof ROWS) =>
  ['| What | Limit | When exceeded |', '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')

test.each([
  ['bodies', START, END, ROWS],
  ['recordings', '<!-- limits of recordings -->', '<!-- end of limits of recordings -->', RECORDING_ROWS],
  ['source maps', '<!-- limits of source maps -->', '<!-- end of limits of source maps -->', SOURCE_MAP_ROWS],
  ['issues', '<!-- limits of issues -->', '<!-- end of limits of issues -->', ISSUE_ROWS],
])('docs/operate/security.md lists the limits of %s', (_, start, end, rows) => {
  const text = readFileSync(FILE, 'utf8')
  const [before, rest] = text.split(`${start}\n`)
  const [, after] = rest!.split(`\n${end}`)
  const expected = `${before}${start}\n\n${tableOf(rows)}\n\n${end}${after}`
  if (process.env.WRITE_DOCS) writeFileSync(FILE, expected)
  expect(readFileSync(FILE, 'utf8')).toBe(expected)
})
