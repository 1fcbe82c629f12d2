import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { observedPlan, type ObservedEvent, type ObservedProperty } from '../../plan/observe'
import { parsePlan } from '../../plan/readPlan'
import { toTypes } from '../../plan/toTypes'
import { readApi, type Target, TARGET_OPTIONS, targetOf } from '../api'
import type { Io, Run } from '../io'

const HELP = `Usage: trailmark types [options]

  trailmark types              from the plan: trailmark-events.d.ts
  trailmark types --pull       from the events that the service has seen in the last 30 days
  trailmark types --endpoints  from the definitions of the project's endpoints: trailmark-endpoints.ts

  --plan <file>   the plan. Default: trailmark.plan.json
  --out <file>    the file to write. With --pull and the end .json, a plan
  --check         writes nothing, and exits with 1 if the file is not up to date

Options of --pull and --endpoints, or environment variables:
  --host <url>        TRAILMARK_HOST        URL of the service
  --project <id>      TRAILMARK_PROJECT_ID  id of the project
  --api-key <secret>  TRAILMARK_API_KEY     personal API key with the scope query:read or endpoint:read`

const OPTIONS = {
  ...TARGET_OPTIONS,
  plan: { type: 'string', default: 'trailmark.plan.json' },
  out: { type: 'string' },
  pull: { type: 'boolean', default: false },
  endpoints: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

interface PropertyRow extends Omit<ObservedProperty, 'kinds'> {
  type: string
  /** Unset in services of older releases. */
  types?: readonly string[]
}

const resultsOf = async <Row>(target: Target, path: string) =>
  (JSON.parse(await readApi(target, path)) as { results: Row[] }).results

const readProperty = async (target: Target, event: string, row: PropertyRow): Promise<ObservedProperty> => {
  const kinds = row.types ?? [row.type]
  const query = `property_values?type=event&event=${encodeURIComponent(event)}&key=${encodeURIComponent(row.name)}`
  const values =
    kinds.join() === 'string' ? await resultsOf<{ value: string; count: number }>(target, query) : undefined
  return { ...row, kinds, ...(values && { values }) }
}

/** Reads which properties the events of a project have. */
const observe = async (target: Target): Promise<ObservedEvent[]> => {
  const names = (await resultsOf<{ name: string }>(target, 'event_definitions')).map(({ name }) => name)
  const events: ObservedEvent[] = []
  for (const name of names.filter((each) => !each.startsWith('$'))) {
    const query = `property_definitions?type=event&event=${encodeURIComponent(name)}`
    const properties: ObservedProperty[] = []
    for (const row of await resultsOf<PropertyRow>(target, query))
      if (!row.name.startsWith('$')) properties.push(await readProperty(target, name, row))
    events.push({ name, properties })
  }
  return events
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** Each returns the default name of the file and the text. */
const SOURCES = {
  async endpoints(values: Values, io: Io) {
    return ['trailmark-endpoints.ts', await readApi(targetOf(values, io), 'endpoints/types.ts')] as const
  },
  async pull(values: Values, io: Io) {
    const plan = observedPlan(await observe(targetOf(values, io)))
    const text = values.out?.endsWith('.json')
      ? `${JSON.stringify(plan, null, 2)}\n`
      : toTypes(plan, 'the events that the service has seen')
    return ['trailmark-events.d.ts', text] as const
  },
  plan({ plan }: Values, { cwd }: Io) {
    const file = resolve(cwd, plan)
    if (!existsSync(file))
      throw new Error(`There is no plan ${plan}. Write it, or run: trailmark types --pull --out ${plan}`)
    return ['trailmark-events.d.ts', toTypes(parsePlan(readFileSync(file, 'utf8')), basename(file))] as const
  },
}

/** Runs `trailmark types`. */
export const run: Run = async (args, io) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  if (values.help) {
    io.out(HELP)
    return 0
  }
  if (values.pull && values.endpoints)
    throw new Error('--pull and --endpoints write different files. Pass one of them.')
  const source = values.endpoints ? 'endpoints' : values.pull ? 'pull' : 'plan'
  const [name, text] = await SOURCES[source](values, io)
  const out = values.out ?? name
  const file = resolve(io.cwd, out)
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text
  if (values.check && !isCurrent)
    io.err(`${out} is not up to date. Run: trailmark types${source === 'plan' ? '' : ` --${source}`}`)
  if (values.check) return isCurrent ? 0 : 1
  if (!isCurrent) writeFileSync(file, text)
  io.out(isCurrent ? `${out} is up to date` : `${out} is written`)
  return 0
}
