import type { Change } from '../diff'
import { type Framework, MARK, type Settings } from './frameworks'
import type { Project } from './project'

const VARIABLES = { TOKEN: 'token', HOST: 'host' } as const

/** Changes that `init` makes to the files of a project. */
export interface Plan {
  changes: Change[]
  /** Manual steps. */
  advice: string[]
}

const withoutVariable = (source: string, name: string) =>
  source
    .split('\n')
    .filter((line) => !line.startsWith(`${name}=`))
    .join('\n')

/** Returns the file of variables, with those of the SDK. Other lines stay as they are. */
const withVariables = (source: string, prefix: string, settings: Settings | undefined): string => {
  let text = source
  for (const [suffix, key] of Object.entries(VARIABLES)) {
    const name = `${prefix}TRAILMARK_${suffix}`
    const line = settings && `${name}=${settings[key]}`
    if (line && text.split('\n').includes(line)) continue
    text = withoutVariable(text, name)
    if (line) text += `${text && !text.endsWith('\n') ? '\n' : ''}${line}\n`
  }
  return text
}

const isDifferent = ({ before, after }: Change) => before !== after

/** Plans what adds the SDK to a project. A second plan has no changes. */
export const planInit = (project: Project, framework: Framework, settings: Settings): Plan => {
  const { prefix, module, insertion } = framework
  const changes: Change[] = []
  const advice: string[] = []
  if (prefix !== undefined) {
    const before = project.read('.env')
    changes.push({ path: '.env', before, after: withVariables(before ?? '', prefix, settings) })
  }
  const file = module?.(project, settings)
  const present = file && project.read(file.path)
  if (file && present !== undefined && !present.startsWith(MARK))
    advice.push(`${file.path} exists. Add this to it:\n${file.text}`)
  else if (file) changes.push({ path: file.path, before: present, after: file.text })
  const added = insertion?.(project, settings)
  const before = added?.path === undefined ? undefined : project.read(added.path)
  if (added && !before?.includes(added.text)) {
    const after = before === undefined ? (added.isNew ? added.text : undefined) : added.add(before)
    if (after === undefined) advice.push(added.advice)
    else changes.push({ path: added.path!, before, after })
  }
  return { changes: changes.filter(isDifferent), advice }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const TAG = /[^\S\n]*<script src="[^"]*\/static\/analytics\.js" data-token="[^"]*" async><\/script>\n/

/** Plans the removal of what `init` has added. */
export const planUndo = (project: Project, framework: Framework, settings: Settings): Plan => {
  const { prefix, module, insertion } = framework
  const changes: Change[] = []
  const env = prefix === undefined ? undefined : project.read('.env')
  if (env !== undefined) {
    const after = withVariables(env, prefix!, undefined)
    changes.push({ path: '.env', before: env, after: after.trim() ? after : undefined })
  }
  const file = module?.(project, settings)
  const before = file && project.read(file.path)
  if (file && before?.startsWith(MARK)) changes.push({ path: file.path, before, after: undefined })
  const added = insertion?.(project, settings)
  const source = added?.path === undefined ? undefined : project.read(added.path)
  // The tag has the host and the token that `init` was run with.
  const pattern = framework.name === 'HTML' ? TAG : added && RegExp(`[^\\S\\n]*${escaped(added.text)}`)
  if (source !== undefined && pattern?.test(source)) {
    const after = source.replace(pattern, '')
    changes.push({ path: added!.path!, before: source, after: after.trim() ? after : undefined })
  }
  return { changes: changes.filter(isDifferent), advice: [] }
}
