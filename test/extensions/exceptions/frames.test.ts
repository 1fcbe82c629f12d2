import { createChunkIds } from '../../../src/extensions/exceptions/chunkIds'
import { framesOf } from '../../../src/extensions/exceptions/frames'

const brief = (stack: string, message = '') =>
  framesOf(stack, message, {}).map(({ function: name, filename, lineno, colno, in_app }) => [
    name,
    filename,
    lineno,
    colno,
    in_app,
  ])

const APP = 'https://shop.test/app.js'

describe('framesOf reads stacks', () => {
  test.each<[string, string, unknown[][]]>([
    [
      'of V8',
      `TypeError: x is not a function
    at Cart.pay (${APP}:10:5)
    at async Promise.all (index 0)
    at async checkout (${APP}:20:7)
    at new Order (${APP}:30:9)
    at ${APP}:40:11`,
      [
        ['?', APP, 40, 11, true],
        ['Order', APP, 30, 9, true],
        ['async checkout', APP, 20, 7, true],
        ['Cart.pay', APP, 10, 5, true],
      ],
    ],
    [
      'of V8 with evaluated code',
      `Error: x
    at eval (eval at run (${APP}:5:9), <anonymous>:1:7)
    at Array.forEach (<anonymous>)
    at run (${APP}:5:9)`,
      [
        ['run', APP, 5, 9, true],
        ['Array.forEach', undefined, undefined, undefined, false],
        ['eval', APP, 5, 9, true],
      ].filter(([name]) => name !== 'Array.forEach'),
    ],
    [
      'of Gecko',
      `pay@${APP}:10:5
checkout/<@${APP}:20:7
async*order@${APP}:30:9
@${APP}:40:11`,
      [
        ['?', APP, 40, 11, true],
        ['async*order', APP, 30, 9, true],
        ['checkout', APP, 20, 7, true],
        ['pay', APP, 10, 5, true],
      ],
    ],
    [
      'of Gecko with evaluated code',
      `run@${APP} line 5 > eval:1:7\n@${APP}:40:11`,
      [
        ['?', APP, 40, 11, true],
        ['run', APP, 5, undefined, true],
      ],
    ],
    [
      'of JavaScriptCore',
      `pay@${APP}:10:5
forEach@[native code]
module code@${APP}:40:11`,
      [
        ['module code', APP, 40, 11, true],
        ['forEach', '[native code]', undefined, undefined, false],
        ['pay', APP, 10, 5, true],
      ],
    ],
    [
      "of Safari's extensions",
      'inject@safari-web-extension://AB-CD/content.js:5:7\nrun@webkit-masked-url://hidden/:3:4',
      [
        ['run', 'webkit-masked-url://hidden/', 3, 4, false],
        ['inject', 'safari-web-extension://AB-CD/content.js', 5, 7, false],
      ],
    ],
  ])('%s', (_, stack, expected) => {
    expect(brief(stack)).toEqual(expected)
  })
})

test('framesOf reads no frames from a message that looks like a stack', () => {
  const message = 'bad input:\n    at fake (https://evil.test/a.js:1:1)'
  expect(brief(`Error: ${message}\n    at real (${APP}:1:2)`, message)).toEqual([['real', APP, 1, 2, true]])
})

test('framesOf keeps the 50 frames next to the throw and skips lines of megabytes', () => {
  const stack = Array.from({ length: 90 }, (_, index) => `f${index}@${APP}:${index + 1}:1`).join('\n')
  const frames = framesOf(stack, '', {})
  expect([frames.length, frames.at(-1)!.function, frames[0]!.function]).toEqual([50, 'f0', 'f49'])
  expect(framesOf(`f@${APP}:1:1\n${'x'.repeat(10_000_000)}@${APP}:2:2`, '', {})).toHaveLength(1)
})

test.each(['_debugIds', '_posthogChunkIds', '_sentryDebugIds'])('framesOf adds the debug ids in %s', (name) => {
  const page = globalThis as unknown as Record<string, Record<string, string>>
  page[name] = { [`Error\n    at ${APP}:1:20`]: 'id-1' }
  const chunkIds = createChunkIds()
  expect(framesOf(`f@${APP}:9:9`, '', chunkIds())[0]!.chunk_id).toBe('id-1')
  // A file that is loaded later.
  page[name][`@https://shop.test/lazy.js:1:20`] = 'id-2'
  expect(chunkIds()['https://shop.test/lazy.js']).toBe('id-2')
  delete page[name]
})

test.each([
  ['in the stack of a call, which has no message', 'Error\n    at f (https://a.test/main.js:3:5)'],
  ['in a stack of Firefox, which has no message', 'f@https://a.test/main.js:3:5'],
  ['in its first line', 'Error: m\n    at f (https://a.test/main.js:3:5)'],
])('a short message that is part of a file name cuts nothing %s', (_, stack) => {
  expect(framesOf(stack, 'm', {})).toMatchObject([{ filename: 'https://a.test/main.js', lineno: 3, colno: 5 }])
})
