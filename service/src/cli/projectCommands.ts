import { createProjects, type Projects, type ProjectView } from '../projects/projects.ts'
import { type Command, type CommandAnswer, type CommandCall, CommandError } from './command.ts'
import { GRACE, graceOf } from './grace.ts'
import { OPERATOR } from './operator.ts'
import { withMetadata } from './store.ts'
import { toTable } from './table.ts'

const withProjects = (call: CommandCall, mayCreate: boolean, work: (projects: Projects) => Promise<CommandAnswer>) =>
  withMetadata(call, { mayCreate }, (metadata) => work(createProjects(metadata)))

const asId = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CommandError(`"${text}" is no project's id: "trailmark project list" shows them.`)
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
      timezone: { value: 'IANA name', what: 'Of its days and weeks. Default: UTC.' },
      token: { value: 'token', what: 'Its public token, such as one that pages carry already. Default: made up.' },
    },
    what: 'A new project.',
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
    what: 'All projects with their tokens.',
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
    what: 'A new token for a project.',
    run: (call) =>
      withProjects(call, false, async (projects) => {
        const project = await projects.rotateToken(asId(call.words[0]!), graceOf(call))
        const before = project.previous_api_token_until
          ? `is taken until ${project.previous_api_token_until}`
          : 'is refused from now on'
        return {
          lines: [
            `The token of project ${project.id}, "${project.name}", is now`,
            project.api_token,
            `The one before ${before}.`,
          ],
          data: project,
        }
      }),
  },
]
