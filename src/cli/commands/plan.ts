import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createCheck, type Problem } from '../../plan/checkEvents'
import { isObject } from '../../plan/plan'
import { parsePlan } from '../../plan/readPlan'
import type { Run } from '../io'

const HELP = `Usage: trailmark plan check <events.ndjson> … [options]

  Compares events with the plan. Each line of a file is an event as JSON, with "event" and "properties". Exits with 1 if an
  event is not in the plan, lacks a property or has one of a wrong type, and if an event of the plan was never seen.

  --plan <file>   the plan. Default: trailmark.plan.json
  --json          prints the problems as JSON`

const describe = ({ event, message, count, first }: Problem) =>
  `${event}: ${message}${count ? ` (${count} ${count === 1 ? 'event' : 'events'}, first in ${first})` : ''}`

/** Reads the event in a line. */
const readLine = (text: string, at: string): { event: string; properties: unknown } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`${at} is not JSON.`)
  }
  if (!isObject(value) || typeof value.event !== 'string') throw new Error(`${at} has no "event".`)
  return { event: value.event, properties: value.properties ?? {} }
}

/** Runs `trailmark plan`. */
export const run: Run = async (args, { cwd, out }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      plan: { type: 'string', default: 'trailmark.plan.json' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [command, ...files] = positionals
  if (values.help) out(HELP)
  if (values.help) return 0
  if (command !== 'check' || !files.length) throw new Error(HELP)
  const missing = [values.plan, ...files].find((file) => !existsSync(resolve(cwd, file)))
  if (missing !== undefined) throw new Error(`File not found: ${missing}.`)
  const check = createCheck(parsePlan(readFileSync(resolve(cwd, values.plan), 'utf8')))
  let total = 0
  for (const file of files) {
    let line = 0
    for await (const text of createInterface(createReadStream(resolve(cwd, file), 'utf8'))) {
      line += 1
      if (!text.trim()) continue
      total += 1
      const { event, properties } = readLine(text, `${file}:${line}`)
      check.add(event, properties, `${file}:${line}`)
    }
  }
  const problems = check.results()
  if (values.json) out(JSON.stringify(problems))
  else for (const each of problems) out(describe(each))
  if (!values.json) out(`${total} events, ${problems.length} problems`)
  return problems.length ? 1 : 0
}
