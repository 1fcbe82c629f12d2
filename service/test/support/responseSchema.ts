import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from './runFolder.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { 'date-time': (text: string) => TIME.test(text) },
  // A validator checks a few responses. Optimizing its code would take as long as everything else about it.
  code: { optimize: false },
})

interface ResponseSchema {
  readonly method: string
  readonly path: string
  readonly response?: object
}

/** Returns the schemas of all routes. Loading the routes takes half a second, so the first file that needs the schemas stores them. */
const readSchemas = async (): Promise<readonly ResponseSchema[]> => {
  const file = join(runFolder(), 'schemas.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ResponseSchema[]
  const { responseSchemas } = await import('./responseSchemas.ts')
  const schemas = responseSchemas()
  // Other processes read the file while this one writes it, so it gets its name when it is complete.
  const written = `${file}.${process.pid}`
  writeFileSync(written, JSON.stringify(schemas))
  renameSync(written, file)
  return schemas
}

const toPattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`)

const parameters = ({ path }: ResponseSchema) => path.split(':').length

const createPatterns = async () =>
  (await readSchemas())
    .map((route) => ({ route, pattern: toPattern(route.path) }))
    .sort((a, b) => parameters(a.route) - parameters(b.route))

/** All routes. Paths with fewer parameters come first, as in the router. */
let patterns: ReturnType<typeof createPatterns> | undefined
const validators = new Map<ResponseSchema, ValidateFunction>()

/**
 * Rejects if the JSON body of a successful response does not match the `response` schema of its route. Routes without a
 * schema accept any body.
 */
export const checkResponse = async (method: string, url: string, status: number, body: unknown): Promise<void> => {
  if (status < 200 || status > 299 || status === 204) return
  const path = new URL(url).pathname.replace(/^\/api\/environments/, '/api/projects')
  patterns ??= createPatterns()
  const route = (await patterns).find((each) => each.route.method === method && each.pattern.test(path))?.route
  if (!route?.response) return
  const validate = validators.get(route) ?? ajv.compile(route.response)
  validators.set(route, validate)
  if (!validate(body))
    throw new Error(
      `${method} ${route.path} responded with a body that does not match the "response" schema of the route: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2_000)}`,
    )
}
