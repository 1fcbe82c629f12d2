import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { builtFiles, unmatchedMaps, problemOf, readMap } from './files'
import { debugIdOf } from './inject'
import { request, type Target, targetOf, uploadFiles } from './upload'

const HELP = `Usage: trailmark sourcemaps <command> <folder> …

  trailmark sourcemaps upload <folder> …
      Gives each JavaScript file with a source map a debug id, uploads the map, and deletes it from the folder.
      --keep  leaves the maps.
  trailmark sourcemaps check <folder> …
      Names the files whose exceptions could not be shown with their source, and why. Changes nothing.

Options, or environment variables:
  --host <url>        TRAILMARK_HOST        URL of the service
  --project <id>      TRAILMARK_PROJECT_ID  id of the project
  --api-key <secret>  TRAILMARK_API_KEY     personal API key with the scope error_tracking:write
`

/** An error of the caller, which needs no stack. */
class UsageError extends Error {}

const requireTarget = (target: ReturnType<typeof targetOf>): Target => {
  if ('missing' in target) throw new UsageError(`Missing ${target.missing}.\n\n${HELP}`)
  return target
}

const upload = async (paths: readonly string[], target: Target, keep: boolean): Promise<number> => {
  const files = builtFiles(paths)
  const results = await uploadFiles(files, target, { keep })
  for (const { path, id, isNew } of results) console.log(`${id}  ${path}${isNew ? '' : ' (already uploaded)'}`)
  for (const { path, mapPath } of files) if (mapPath === undefined) console.warn(`${path} has no source map`)
  if (!results.length) throw new UsageError('There is no file with a source map. Turn source maps on in the bundler.')
  return 0
}

const check = async (paths: readonly string[], target: Target | undefined): Promise<number> => {
  const files = builtFiles(paths)
  const problems: string[] = []
  for (const file of files) {
    const problem = problemOf(file)
    const id = debugIdOf(
      readFileSync(file.path, 'utf8'),
      file.mapPath === undefined ? undefined : readMap(file.mapPath),
    )
    const status = !problem && id && target ? (await request(target, id)).status : undefined
    if (problem) problems.push(`${file.path} ${problem}`)
    else if (status === 404) problems.push(`${file.path} has the debug id ${id}, but its source map is not uploaded`)
    else if (status !== undefined && status !== 200)
      throw new Error(`The service responded with status ${status}. Check the project and the API key.`)
  }
  for (const path of unmatchedMaps(paths, files)) problems.push(`${path} is not the source map of any file`)
  for (const each of problems) console.log(each)
  console.log(`${files.length} files, ${problems.length} problems`)
  return problems.length ? 1 : 0
}

/** Runs a command line. Returns the exit code. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        host: { type: 'string' },
        project: { type: 'string' },
        'api-key': { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const [topic, command, ...paths] = positionals
    if (values.help || topic !== 'sourcemaps' || !command || !paths.length) throw new UsageError(HELP)
    const missing = paths.find((path) => !existsSync(path))
    if (missing) throw new UsageError(`File or folder not found: ${missing}.`)
    const target = targetOf({ host: values.host, projectId: values.project, apiKey: values['api-key'] })
    if (command === 'upload') return await upload(paths, requireTarget(target), values.keep)
    if (command === 'check') return await check(paths, 'missing' in target ? undefined : target)
    throw new UsageError(HELP)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
}
