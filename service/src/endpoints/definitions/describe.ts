import type { Variable } from '../../storage/metadata/metadata.ts'
import {
  NO_CALLER,
  type ReadLimits,
  type RunLimits,
  type Storage,
  StorageError,
  type StorageErrorKind,
  storageApiError,
} from '../../storage/storage.ts'
import { type BoundValue, compileQuery, type ParsedQuery, QueryError } from '../../sql/compile.ts'
import { samplesOf } from '../variables/samples.ts'
import { toApiError } from './check.ts'
import { engineApiError } from './engineApiError.ts'

/** A column of an endpoint's result. */
export interface AnswerColumn {
  readonly name: string
  readonly type: ColumnType
}

export type ColumnType = 'integer' | 'float' | 'string' | 'datetime' | 'date' | 'boolean' | 'array' | 'json' | 'unknown'

const TYPES: readonly (readonly [RegExp, ColumnType])[] = [
  [/^U?Int\d+$/, 'integer'],
  [/^(Float|BFloat|Decimal)/, 'float'],
  [/^(String|FixedString|UUID|Enum|IPv)/, 'string'],
  [/^DateTime/, 'datetime'],
  [/^Date/, 'date'],
  [/^Bool$/, 'boolean'],
  [/^Array/, 'array'],
  [/^(JSON|Object|Map|Tuple|Variant|Dynamic)/, 'json'],
]

/** Returns the API's name of an engine type. */
export const toColumnType = (engineType: string): ColumnType => {
  const [, inner] = /^(?:LowCardinality|Nullable)\((.+)\)$/s.exec(engineType) ?? []
  return inner ? toColumnType(inner) : (TYPES.find(([pattern]) => pattern.test(engineType))?.[1] ?? 'unknown')
}

// Describing reads no rows, except for subqueries that return a value: the engine evaluates those.
const LIMITS = {
  maxSeconds: 2,
  maxMemoryBytes: 100_000_000,
  maxRows: 10_000,
  maxBytes: 5_000_000,
  maxThreads: 1,
} as const

// Maximum time for all attempts to describe a query, including waits for the engine.
const MAX_TRYING_MS = 10_000

// Runs may have higher limits than this.
const LIMIT_ERRORS: ReadonlySet<StorageErrorKind> = new Set<StorageErrorKind>(['timeout', 'memory', 'size'])

// Errors that a sample of a variable may cause, but the values of a run may not.
const SAMPLE_ERRORS = /PARSE|OUT_OF_BOUND|BAD_ARGUMENTS|CONVERT|OVERFLOW|DIVISION|REGEXP|TOO_LARGE/
const SAMPLE_CODES = new Set(['date_invalid', 'type_mismatch', 'limit_invalid', 'variable_invalid'])

// Each try costs the engine a few milliseconds. If these are too few, the columns remain unknown until the run.
const MAX_TRIES = 64

/** Returns every combination of one sample per variable, at most `MAX_TRIES + 1`. */
export const triesOf = (parsed: ParsedQuery, definitions: readonly Variable[]): Record<string, BoundValue>[] =>
  parsed.variables.reduce<Record<string, BoundValue>[]>(
    (tries, name) => {
      const samples = samplesOf(definitions.find(({ codeName }) => codeName === name)!)
      return tries.flatMap((each) => samples.map((sample) => ({ ...each, [name]: sample }))).slice(0, MAX_TRIES + 1)
    },
    [{}],
  )

/**
 * Resolves with the columns of a query's result, or `undefined` if they depend on a run's values. Rejects with
 * `ApiError` for a query that the engine can never run.
 */
export type Describe = (
  projectId: number,
  parsed: ParsedQuery,
  definitions: readonly Variable[],
) => Promise<readonly AnswerColumn[] | undefined>

export interface DescribeOptions {
  readonly storage: Pick<Storage, 'run'>
  /** The limits of a run. Checking a query never exceeds them. */
  readonly runLimits?: Pick<RunLimits, 'maxSeconds' | 'maxMemoryBytes'>
}

/**
 * Lets the engine describe queries. A query with variables is described with samples of their types, and rejected only if all of them
 * fail for a reason that no other value would change.
 */
export const createDescribe =
  ({ storage, runLimits = LIMITS }: DescribeOptions): Describe =>
  async (projectId, parsed, definitions) => {
    const limits: ReadLimits = {
      ...LIMITS,
      projectId,
      maxSeconds: Math.min(LIMITS.maxSeconds, runLimits.maxSeconds),
      maxMemoryBytes: Math.min(LIMITS.maxMemoryBytes, runLimits.maxMemoryBytes),
    }
    const startedAt = performance.now()
    const isSampleFault = (error: unknown) =>
      parsed.variables.length > 0 &&
      ((error instanceof QueryError && SAMPLE_CODES.has(error.code)) ||
        (error instanceof StorageError && error.kind === 'query' && SAMPLE_ERRORS.test(error.engineCode ?? '')))

    const tries = triesOf(parsed, definitions)
    let isInconclusive = tries.length > MAX_TRIES
    let first: unknown
    for (const variables of tries.slice(0, MAX_TRIES)) {
      if (performance.now() - startedAt > MAX_TRYING_MS) return undefined
      try {
        const { text, params } = compileQuery(parsed, { projectId, variables })
        // A change is completed even if its client has left.
        const { rows } = await storage.run({ text: `DESCRIBE (${text})`, params }, limits, NO_CALLER)
        return rows.map(([name, type]) => ({ name: String(name), type: toColumnType(String(type)) }))
      } catch (error) {
        if (error instanceof StorageError && LIMIT_ERRORS.has(error.kind)) return undefined
        if (error instanceof StorageError && error.kind !== 'query') throw storageApiError(error) ?? error
        if (isSampleFault(error)) isInconclusive = true
        else first ??= error
      }
    }
    if (isInconclusive) return undefined
    throw first instanceof StorageError ? engineApiError(first, parsed) : toApiError(first)
  }
