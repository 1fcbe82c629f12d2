import { changeInit, type MigrateOptions } from './init'
import { applied, createDraft, type Draft, type Finding, type Row } from './draft'
import { changeModules } from './imports'
import table from './posthog.json'

export interface Migrated {
  code: string
  findings: Finding[]
}

const MEMBERS = table.members as unknown as Readonly<Record<string, Row>>

/** Finds the names of the object besides those of imports. */
const findLocals = ({ masked, locals }: Draft) => {
  for (const { 1: name } of masked.matchAll(/\b(?:const|let)\s+([\w$]+)\s*=\s*usePostHog\(/g)) locals.add(name!)
  if (/\bposthog\.init\s*\(/.test(masked) && locals.size === 0) locals.add('posthog')
  if (/\bwindow\.posthog\b/.test(masked)) locals.add('window.posthog')
}

/** Returns the row of the longest known part of a path such as `featureFlags.override`. */
const rowOf = (first: string, second: string): [name: string, row: Row] => {
  const known = [`${first}.${second}`, first, `${first}.*`].find((each) => Object.hasOwn(MEMBERS, each))
  if (known) return [known, MEMBERS[known]!]
  const isGroup = Object.keys(MEMBERS).some((each) => each.startsWith(`${first}.`))
  return [first, isGroup ? ['same', ''] : ['missing', 'Not a member of the SDK.']]
}

const checkMembers = (draft: Draft, name: string, options: MigrateOptions) => {
  const pattern = new RegExp(`(?<![\\w$.])${name.replace(/[.$]/g, '\\$&')}((?:(?:\\?|!)?\\.\\s*[\\w$]+)+)`, 'g')
  for (const { 0: text, 1: path = '', index } of draft.masked.matchAll(pattern)) {
    const [first = '', second = ''] = path.split(/[?!]?\.\s*/).filter(Boolean)
    const [known, [status, note]] = rowOf(first, second)
    if (first === 'init') changeInit(draft, index + text.length, options)
    else if (status === 'missing') draft.add('todo', index, `${name}.${first}`, note || 'The method does nothing.')
    else if (status === 'differs') draft.add('differs', index, `${name}.${known}`, note)
  }
}

/** Changes one file from posthog-js to the SDK. `undefined`: it does not use posthog-js. */
export const migratePosthog = (source: string, options: MigrateOptions = {}): Migrated | undefined => {
  if (!/posthog/i.test(source)) return undefined
  const draft = createDraft(source)
  changeModules(draft)
  findLocals(draft)
  for (const name of draft.locals) checkMembers(draft, name, options)
  const { edits, findings } = draft
  if (edits.length === 0 && findings.length === 0) return undefined
  return { code: applied(draft), findings: findings.sort((a, b) => a.line - b.line) }
}
