import { createProjects, type Projects, type ProjectView } from '../projects/projects.ts'
import { type Command, type CommandResult, type CommandCall, CommandError } from './command.ts'
import { GRACE, graceOf } from './grace.ts'
import { OPERATOR } from './operator.ts'
import { withMetadata } from './store.ts'
import { toTable } from './table.ts'

const withProjects = (call: CommandCall, mayCreate: boolean, work: (projects: Projects) => Promise<CommandResult>) =>
  withMetadata(call, { mayCreate }, (metadata) => work(createProjects(metadata)))

const asId = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CommandError(`"${text}" is not a project id: "trailmark project list" lists them.`)
  return Number(text)
}

const rows = (projects: readonly ProjectView[]) =>
  toTable(
    ['ID', 'NAME', 'TOKEN', 'TIME ZONE', 'CREATED'],
    projects.map(({ id, name, api_token, timezone, created_at }) => [
      String(id),
      name,
      api_token,
      timezone,
      created_at.slice(0, 10),
    ]),
  )

export const PROJECT_COMMANDS: readonly Command[] = [
  {
    name: 'project create',
    words: ['name'],
    options: {
      timezone: { value: 'IANA name', what: 'Time zone of its days and weeks. Default: UTC.' },
      token: { value: 'token', what: 'Its public token, such as one that pages already use. Default: generated.' },
    },
    what: 'Creates a project.',
    run: (call) =>
      withProjects(call, true, async (projects) => {
        const { timezone, token } = call.options as { timezone?: string; token?: string }
        const project = await projects.create(OPERATOR(call), {
          name: call.words[0]!,
          ...(timezone ? { timezone } : {}),
          ...(token ? { api_token: token } : {}),
        })
        return {
          lines: [`Created project ${project.id}, "${project.name}", with the token`, project.api_token],
          data: project,
        }
      }),
  },
  {
    name: 'project list',
    words: [],
    options: {},
    what: 'Lists all projects with their tokens.',
    run: (call) =>
      withProjects(call, false, async (projects) => {
        const all = await projects.list(OPERATOR(call))
        return { lines: rows(all), data: all }
      }),
  },
  {
    name: 'project rotate-token',
    words: ['id'],
    options: { grace: GRACE },
    what: 'Replaces the token of a project.',
    run: (call) =>
      withProjects(call, false, async (projects) => {
        const project = await projects.rotateToken(asId(call.words[0]!), graceOf(call))
        const before = project.previous_api_token_until
          ? `is valid until ${project.previous_api_token_until}`
          : 'is no longer valid'
        return {
          lines: [
            `The token of project ${project.id}, "${project.name}", is now`,
            project.api_token,
            `The previous token ${before}.`,
          ],
          data: project,
        }
      }),
  },
]
