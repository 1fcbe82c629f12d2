import type { Metadata } from '../storage/metadata/metadata.ts'
import { type CommandCall, CommandError } from './command.ts'

export const PROJECT_OPTION = { value: 'id', what: 'The project. Optional if there is only one project.' } as const

/** Returns the id in `--project`. Throws `CommandError` if the value is not an id. */
export const projectOption = ({ options: { project } }: Pick<CommandCall, 'options'>): number | undefined => {
  if (project === undefined) return undefined
  if (typeof project !== 'string' || !/^[1-9]\d{0,8}$/.test(project))
    throw new CommandError(`--project expects a project id, got "${project}": "trailmark project list" lists them.`)
  return Number(project)
}

/** Returns the project of a command. Throws `CommandError` unless `--project` names one, or there is only one. */
export const projectOf = async (call: Pick<CommandCall, 'options'>, { projects }: Pick<Metadata, 'projects'>) => {
  const given = projectOption(call)
  const all = await projects.all()
  if (given !== undefined) {
    if (all.some(({ id }) => id === given)) return given
    throw new CommandError(`there is no project ${given}: "trailmark project list" lists them.`)
  }
  if (all.length === 1) return all[0]!.id
  throw new CommandError(
    all.length
      ? `there are ${all.length} projects: choose with --project ${all.map(({ id }) => id).join('|')}.`
      : 'there is no project yet: create one with "trailmark project create".',
  )
}
