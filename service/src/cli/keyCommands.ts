import { keyFileIn, sharedKeyFile } from '../projects/keyFile.ts'
import { createKeys, type Keys, type KeyView, type NewKeyView } from '../projects/keys.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { type Command, type CommandResult, type CommandCall, CommandError } from './command.ts'
import { GRACE, graceOf } from './grace.ts'
import { OPERATOR } from './operator.ts'
import { PROJECT_OPTION, projectOption } from './projectOption.ts'
import { withMetadata } from './store.ts'
import { toTable } from './table.ts'

export const withKeys = (call: CommandCall, work: (keys: Keys, metadata: Metadata) => Promise<CommandResult>) =>
  withMetadata(call, {}, (metadata) => {
    const keyFile = keyFileIn(call.dataDir)
    return work(
      createKeys({ metadata, scopes: call.scopes, keyFile: metadata.isShared ? sharedKeyFile(keyFile) : keyFile }),
      metadata,
    )
  })

const reachOf = (key: KeyView) => (key.scoped_teams ? `project ${key.scoped_teams.join(', ')}` : 'all projects')

/** Returns the project of a new key. null: all projects. */
const projectOf = async (call: CommandCall, { projects }: Metadata): Promise<number | null> => {
  const given = projectOption(call)
  if (call.options['all-projects']) {
    if (given !== undefined)
      throw new CommandError('--project and --all-projects exclude each other: pass one of them.')
    return null
  }
  if (given !== undefined) return given
  const all = await projects.all()
  if (all.length === 1) return all[0]!.id
  throw new CommandError(
    all.length
      ? `there are ${all.length} projects: choose with --project ${all.map(({ id }) => id).join('|')}, or --all-projects.`
      : 'there is no project yet: create one with "trailmark project create".',
  )
}

/** Finds a key by its id or its label. Throws `CommandError` unless there is exactly one. */
export const findKey = async (call: CommandCall, keys: Keys, word: string): Promise<KeyView> => {
  const project = projectOption(call)
  const found = (await keys.list(OPERATOR(call))).filter(
    ({ id, label, scoped_teams: teams }) =>
      id === word || (label === word && (project === undefined || teams?.includes(project))),
  )
  if (found.length === 1) return found[0]!
  throw new CommandError(
    found.length
      ? `several keys have the label "${word}": choose by id, ${found.map((key) => `${key.id} (${reachOf(key)})`).join(' or ')}.`
      : `there is no key "${word}": "trailmark key list" lists them.`,
  )
}

const shownOnce = (title: string, key: NewKeyView, more: readonly string[] = []): CommandResult => ({
  lines: [title, key.value, ...more, 'It is shown only once.'],
  data: key,
})

const rows = (keys: readonly KeyView[]) =>
  toTable(
    ['ID', 'LABEL', 'OF', 'SECRET', 'CREATED', 'LAST USED', 'SCOPES'],
    keys.map((key) => [
      key.id,
      key.label,
      reachOf(key),
      key.mask_value,
      key.created_at.slice(0, 10),
      key.last_used_at?.slice(0, 16) ?? 'never',
      key.scopes.join(','),
    ]),
  )

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'key create',
    words: ['label'],
    options: {
      scopes: { value: 'scope,…|all', what: 'Scopes of the key.' },
      project: PROJECT_OPTION,
      'all-projects': { what: 'For all projects, including future ones.' },
    },
    what: 'Creates a personal API key.',
    run: (call) =>
      withKeys(call, async (keys, metadata) => {
        if (typeof call.options.scopes !== 'string')
          throw new CommandError(`pass the scopes of the key with --scopes: ${call.scopes.join(', ')}, or all.`)
        const project = await projectOf(call, metadata)
        const scopes =
          call.options.scopes === 'all' ? ['*'] : call.options.scopes.split(',').map((scope) => scope.trim())
        const key = await keys.create(OPERATOR(call), {
          label: call.words[0]!,
          scopes,
          scoped_teams: project === null ? null : [project],
        })
        return shownOnce(`Created the key "${key.label}" for ${reachOf(key)}, with ${key.scopes.join(', ')}:`, key)
      }),
  },
  {
    name: 'key list',
    words: [],
    options: { project: PROJECT_OPTION },
    what: 'Lists all personal API keys, without their secrets.',
    run: (call) =>
      withKeys(call, async (keys) => {
        const project = projectOption(call)
        const all = (await keys.list(OPERATOR(call))).filter(
          ({ scoped_teams: teams }) => project === undefined || teams?.includes(project),
        )
        return { lines: rows(all), data: all }
      }),
  },
  {
    name: 'key rotate',
    words: ['id|label'],
    options: { grace: GRACE, project: PROJECT_OPTION },
    what: 'Replaces the secret of a key.',
    run: (call) =>
      withKeys(call, async (keys) => {
        const key = await keys.rotate(OPERATOR(call), (await findKey(call, keys, call.words[0]!)).id, graceOf(call))
        return shownOnce(`The secret of "${key.label}" is now`, key, [
          `The previous secret is ${key.previous_value_until ? `valid until ${key.previous_value_until}` : 'no longer valid'}.`,
        ])
      }),
  },
  {
    name: 'key revoke',
    words: ['id|label'],
    options: { project: PROJECT_OPTION },
    what: 'Revokes a key.',
    run: (call) =>
      withKeys(call, async (keys) => {
        const key = await findKey(call, keys, call.words[0]!)
        await keys.revoke(OPERATOR(call), key.id)
        return { lines: [`Revoked the key "${key.label}".`], data: key }
      }),
  },
]
