import { gzipSync } from 'node:zlib'
import { type BuiltFile, builtFiles, prepare, removeMap } from './files'

/** Where source maps go, and what happens to the files. */
export interface SourcemapOptions {
  /** URL of the service. Default: the environment variable TRAILMARK_HOST. */
  host?: string
  /** Id of the project. Default: TRAILMARK_PROJECT_ID. */
  projectId?: string | number
  /** Personal API key with the scope error_tracking:write. Default: TRAILMARK_API_KEY. Never put it into the page's code. */
  apiKey?: string
  /** Leaves the maps in the output. Default: they are deleted once they are uploaded. */
  keep?: boolean
  /** Folder that paths of sources are relative to. Default: the current folder. */
  root?: string
}

export interface Target {
  host: string
  projectId: string
  apiKey: string
}

/** Returns where to upload to, or the name of the setting that is missing. */
export const targetOf = (options: SourcemapOptions): Target | { missing: string } => {
  const { env } = process
  const host = options.host ?? env.TRAILMARK_HOST
  const projectId = options.projectId ?? env.TRAILMARK_PROJECT_ID
  const apiKey = options.apiKey ?? env.TRAILMARK_API_KEY
  if (!host) return { missing: 'host (TRAILMARK_HOST)' }
  if (!projectId) return { missing: 'projectId (TRAILMARK_PROJECT_ID)' }
  if (!apiKey) return { missing: 'apiKey (TRAILMARK_API_KEY)' }
  return { host: host.replace(/\/+$/, ''), projectId: String(projectId), apiKey }
}

const TRIES = 3
const RETRY_MS = 1_000

/** Sends a request about one source map. Retries what may succeed later. Throws if the service cannot be reached. */
export const request = async (
  { host, projectId, apiKey }: Target,
  id: string,
  body?: Uint8Array<ArrayBuffer>,
): Promise<{ status: number; detail: string }> => {
  const url = `${host}/api/projects/${encodeURIComponent(projectId)}/error_tracking/sourcemaps/${id}`
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, {
        method: body ? 'PUT' : 'GET',
        headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/gzip' } : {}) },
        ...(body ? { body } : {}),
      })
      const text = await response.text()
      if ((response.status < 500 && response.status !== 429) || attempt === TRIES) {
        let detail: unknown
        try {
          detail = (JSON.parse(text) as { detail?: unknown }).detail
        } catch {
          // Not a JSON response of the service.
        }
        return { status: response.status, detail: typeof detail === 'string' ? detail : '' }
      }
    } catch (error) {
      if (attempt === TRIES)
        throw new Error(`${host} cannot be reached: ${String((error as Error).cause ?? error)}`, { cause: error })
    }
    await new Promise((done) => setTimeout(done, RETRY_MS * attempt))
  }
}

export interface UploadResult {
  path: string
  id: string
  /** Whether the service did not have it. */
  isNew: boolean
}

/**
 * Gives built files their debug ids and uploads their source maps, one after the other. Files without a map are left
 * alone. Throws an error that names the file and the service's response.
 */
export const uploadFiles = async (
  files: readonly BuiltFile[],
  target: Target,
  { keep = false, root = process.cwd() }: SourcemapOptions,
): Promise<UploadResult[]> => {
  const results: UploadResult[] = []
  for (const { path, mapPath } of files) {
    if (mapPath === undefined) continue
    const { id, map } = prepare(path, mapPath, root)
    const { status, detail } = await request(target, id, gzipSync(map))
    if (status !== 200 && status !== 201)
      throw new Error(`The source map of ${path} was not uploaded: status ${status}${detail ? `, ${detail}` : ''}`)
    if (!keep) removeMap(path, mapPath)
    results.push({ path, id, isNew: status === 201 })
  }
  return results
}

/** Gives built files their debug ids, and uploads and deletes their maps if the target is known. Logs one line. */
export const processBuild = async (paths: readonly string[], options: SourcemapOptions): Promise<void> => {
  const files = builtFiles(paths).filter(({ mapPath }) => mapPath !== undefined)
  const target = targetOf(options)
  if ('missing' in target) {
    for (const { path, mapPath } of files) prepare(path, mapPath!, options.root ?? process.cwd())
    console.warn(`[trailmark] source maps are not uploaded, because ${target.missing} is not set`)
    return
  }
  const results = await uploadFiles(files, target, options)
  const { length } = results.filter(({ isNew }) => isNew)
  console.log(`[trailmark] ${length} source maps uploaded, ${results.length - length} already on the service`)
}
