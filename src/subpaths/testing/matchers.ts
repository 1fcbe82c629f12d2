import type { Properties } from 'trailmark'
import { contains } from './contains'
import { nearest, shown } from './explainMiss'
import type { Captures, WaitOptions } from './types'

/** What a plan says about one event: one line for each problem, none if it fits. */
export type PlanCheck = (event: string, properties: Properties) => readonly string[]

/** What matchers use of a collector, a project of it or a memory transport. */
export type Captured = Pick<Captures, 'events' | 'bad' | 'waitFor' | 'flush' | 'explain' | 'quiet'>

interface Result {
  pass: boolean
  message: () => string
}

/** `this` of a matcher. */
interface Context {
  readonly isNot?: boolean
}

/** Sends what waits, and waits until nothing arrives. Resolves with why that is not certain, if so. */
const settle = async (captured: Captured): Promise<string | undefined> => {
  const isEmpty = await captured.flush()
  await captured.quiet()
  if (isEmpty) return undefined
  const waiting = (await captured.explain()).filter((line) => line.includes(': waiting'))
  return `Events still wait to be sent, so it is not certain what else arrives:\n${waiting.map((line) => `  ${line}`).join('\n')}`
}

const wordsOf = (name: string, subset: Properties) =>
  `"${name}"${Object.keys(subset).length ? ` with ${shown(subset)}` : ''}`

const found = (captured: Captured, name: string, subset: Properties) =>
  captured.events(name).filter(({ properties }) => contains(properties, subset))

const missed = async (captured: Captured, name: string, subset: Properties) =>
  nearest({
    name,
    subset,
    events: captured.events(),
    bad: captured.bad(),
    reasons: await captured.explain(name),
  })

const result = (pass: boolean, message: string): Result => ({ pass, message: () => message })

/** The matchers for a kind of received value, of which `capturedOf` returns what was captured for it. */
export const matchersFor = <Received>(capturedOf: (received: Received) => Captured) => ({
  /** Passes once an event of this name whose properties contain `subset` is captured; with `not`, if there is none when all is sent. */
  async toHaveCaptured(
    this: Context,
    received: Received,
    name: string,
    subset: Properties = {},
    options: WaitOptions = {},
  ): Promise<Result> {
    const captured = capturedOf(received)
    if (this.isNot) {
      const doubt = await settle(captured)
      const events = found(captured, name, subset)
      if (events.length) return result(true, `${wordsOf(name, subset)} was captured: ${shown(events[0]!.properties)}`)
      return result(doubt !== undefined, doubt ?? '')
    }
    await captured.flush()
    const event = await captured.waitFor(name, subset, options).catch(() => undefined)
    return result(event !== undefined, event ? '' : await missed(captured, name, subset))
  },

  /** Passes if, when all is sent, so many events of this name are captured. */
  async toHaveCapturedTimes(
    this: Context,
    received: Received,
    name: string,
    times: number,
    subset: Properties = {},
  ): Promise<Result> {
    const captured = capturedOf(received)
    const doubt = await settle(captured)
    const { length } = found(captured, name, subset)
    const counted = `${wordsOf(name, subset)} was captured ${length} times, expected ${this.isNot ? 'not ' : ''}${times}.`
    if (doubt !== undefined) return result(!!this.isNot, `${counted}\n${doubt}`)
    const pass = length === times
    return result(pass, length || this.isNot ? counted : `${counted}\n${await missed(captured, name, subset)}`)
  },

  /** Passes if, when all is sent, no event is rejected or breaks the plan. */
  async toMatchPlan(this: Context, received: Received, check: PlanCheck): Promise<Result> {
    const captured = capturedOf(received)
    const doubt = await settle(captured)
    const problems = problemsOf(captured, check)
    if (!problems.length && doubt !== undefined) return result(!!this.isNot, doubt)
    return result(
      !problems.length,
      problems.length
        ? `Events break the plan:\n${problems.map((line) => `  ${line}`).join('\n')}`
        : 'All events match the plan.',
    )
  },
})

/** Returns a line for each rejected event, and for each that breaks the plan. */
export const problemsOf = (captured: Pick<Captured, 'events' | 'bad'>, check?: PlanCheck): string[] => [
  ...captured.bad().map(({ event, reason, code }) => `${event ?? 'A request'} was rejected: ${reason} (${code})`),
  ...(check
    ? captured.events().flatMap((each) => check(each.event, each.properties).map((line) => `${each.event}: ${line}`))
    : []),
]

/** The matchers for collectors, their projects and memory transports. */
export const matchers = matchersFor<Captured>((received) => {
  if (typeof (received as Partial<Captured> | undefined)?.events !== 'function')
    throw new TypeError('expected a collector, a project of it or a memory transport')
  return received
})

/** The matchers as members of what `expect()` returns. */
export interface CapturedMatchers<Result = Promise<void>> {
  /** Waits for an event of this name whose properties contain `subset`. With `not`: sends what waits, and expects none. */
  toHaveCaptured(name: string, subset?: Properties, options?: WaitOptions): Result
  /** Sends what waits, and expects so many events of this name whose properties contain `subset`. */
  toHaveCapturedTimes(name: string, times: number, subset?: Properties): Result
  /** Sends what waits, and expects that no event is rejected or breaks the plan. */
  toMatchPlan(check: PlanCheck): Result
}
