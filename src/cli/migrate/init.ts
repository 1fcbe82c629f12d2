import type { Draft, Row } from './draft'
import { closing, partsOf } from './mask'
import table from './posthog.json'

export interface MigrateOptions {
  /** URL of the service. */
  host?: string
  /** Token of the project. */
  token?: string
}

type Part = readonly [start: number, end: number]

const OPTIONS = table.options as unknown as Readonly<Record<string, Row>>
const CLOUD = /^\s*['"`]https:\/\/(?:app|us|eu|us\.i|eu\.i|us-assets\.i|eu-assets\.i)\.posthog\.com/
const SPELLED = /^\s*(?:\/\/[^\n]*\s*|\/\*[^]*?\*\/\s*)*['"]?([\w$]+)['"]?\s*(?=[:,(\s]|$)/

/** Replaces a string by another, or says that somebody has to. */
const changeString = (
  { source, edits, add }: Draft,
  [start, end]: Part,
  { name, flag, value, what }: { name: string; flag: string; value: string | undefined; what: string },
) => {
  const text = source.slice(start, end)
  const [, quote, old = ''] = /^\s*(['"`])([^'"`]*)\1\s*$/.exec(text) ?? []
  if (!quote) add('todo', start, name, `Its value is not written here. It must be ${what}.`)
  else if (!value) add('todo', start, name, `${old} is PostHog's. Write ${what}, or pass --${flag}.`)
  else
    edits.push({
      start: start + text.indexOf(quote),
      end: start + text.lastIndexOf(quote) + 1,
      text: quote + value + quote,
    })
}

const checkOption = (draft: Draft, part: Part, host: string | undefined) => {
  const { source, add } = draft
  const text = source.slice(...part)
  const [head = '', key = ''] = SPELLED.exec(text) ?? []
  if (!key) {
    const message = 'These options are not written here. Compare them with docs/reference/posthog-js.md.'
    if (text.trim()) add('todo', part[0] + text.search(/\S/), 'init', message)
    return
  }
  const at = part[0] + head.lastIndexOf(key)
  const value: Part = [part[0] + text.indexOf(':', head.length - 1) + 1, part[1]]
  const isCloud = CLOUD.test(source.slice(...value))
  const isLiteral = /^\s*['"`]/.test(source.slice(...value))
  if (key === 'api_host' && (isCloud || !isLiteral))
    changeString(draft, value, { name: key, flag: 'host', value: host, what: 'the URL of your Trailmark service' })
  else if (key === 'ui_host' && isCloud)
    add('todo', at, key, "It is PostHog's. Remove it, or write the URL of your Trailmark console.")
  const [status, note] = OPTIONS[key] ?? []
  if (status === 'missing') add('todo', at, key, note || 'The option has no effect.')
  else if (status === 'differs') add('differs', at, key, note!)
}

/** Changes the call of `init` whose arguments begin after `end`. */
export const changeInit = (draft: Draft, end: number, { host, token }: MigrateOptions): void => {
  const { masked } = draft
  const bracket = /^\s*\(/.exec(masked.slice(end))
  if (!bracket) return
  const [key, options] = partsOf(masked, end + bracket[0].length - 1)
  if (key)
    changeString(draft, key, {
      name: 'token',
      flag: 'token',
      value: token,
      what: 'the token of your Trailmark project',
    })
  if (!options) return
  const start = options[0] + masked.slice(...options).search(/\S/)
  const isObject = masked[start] === '{' && closing(masked, start) <= options[1]
  // A variable is reported like a spread.
  if (isObject) for (const part of partsOf(masked, start)) checkOption(draft, part, host)
  else
    draft.add(
      'todo',
      start,
      'init',
      'These options are not written here. Compare them with docs/reference/posthog-js.md.',
    )
}
