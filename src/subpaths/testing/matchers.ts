import type { Properties } from 'trailmark'
import { type CheckedPlan, checkPlan } from 'trailmark/plan'
import { contains } from './contains'
import { nearest, shown } from './explainMiss'
import type { Captures, ReceivedEvent, WaitOptions } from './types'

/** A plan (`trailmark.plan.json`), or a function that returns what is wrong with an event, one line for each problem. */
export type PlanOrCheck = CheckedPlan | ((event: ReceivedEvent) => readonly string[])

/** What matchers use of a collector, a project of it or a memory transport. */
export type Captured = Pick<Captures, 'events' | 'bad' | 'waitFor' | 'flush' | 'explain' | 'quiet'>

export interface Result {
  pass: boolean
  message: () => string
}

/** `this` of a matcher. */
export interface Context {
  readonly isNot?: boolean
}

/** Sends what waits, and waits until nothing arrives. Resolves with why that is not certain, if so. */
const settle = async (captured: Captured): Promise<string | undefined> => {
  const isEmpty = await captured.flush()
  await captured.quiet()
  if (isEmpty) return undefined
  const waiting = (await captured.explain()).filter((line) => line.includes(': waiting'))
  return `More events may arrive, because some are still waiting to be sent:\n${waiting.map((line) => `  ${line}`).join('\n')}`
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
  async toMatchPlan(this: Context, received: Received, plan: PlanOrCheck): Promise<Result> {
    const captured = capturedOf(received)
    const doubt = await settle(captured)
    const problems = problemsOf(captured, plan)
    if (!problems.length && doubt !== undefined) return result(!!this.isNot, doubt)
    return result(
      !problems.length,
      problems.length
        ? `Events break the plan:\n${problems.map((line) => `  ${line}`).join('\n')}`
        : 'All events match the plan.',
    )
  },
})

/** Returns what is wrong with an event. */
const violationsOf = (event: ReceivedEvent, plan: PlanOrCheck): readonly string[] => {
  if (typeof plan === 'function') return plan(event).map((line) => `${event.event}: ${line}`)
  const lines: string[] = []
  checkPlan(plan, { onProblem: ({ message }) => lines.push(message) })({ ...event, uuid: '', timestamp: new Date() })
  return lines
}

/** Returns a line for each rejected event, and for each that breaks the plan. */
export const problemsOf = (captured: Pick<Captured, 'events' | 'bad'>, plan?: PlanOrCheck): string[] => [
  ...captured.bad().map(({ event, reason, code }) => `${event ?? 'A request'} was rejected: ${reason} (${code})`),
  ...(plan ? captured.events().flatMap((event) => violationsOf(event, plan)) : []),
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
  toMatchPlan(plan: PlanOrCheck): Result
}
