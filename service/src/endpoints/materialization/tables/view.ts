import { ApiError } from '../../../lib/apiError.ts'
import type { Endpoint, EndpointVersion } from '../../../storage/metadata/metadata.ts'
import { NO_CALLER, type Storage, StorageError, storageApiError, type WorkLimits } from '../../../storage/storage.ts'
import type { MaterializationView } from '../../definitions/materializer.ts'
import { isInsight } from '../../insights/insights.ts'
import type { Plan } from '../plan.ts'
import { statementsOf, type TablePlan } from '../tablePlan.ts'
import { type State, stateOf } from './state.ts'

const statusOf = ({ claim, error, inUse }: State): MaterializationView['status'] =>
  claim ? 'Running' : error ? 'Failed' : inUse ? 'Completed' : 'Running'

/** Returns the API's view of a version's materialization. */
export const viewOf = (endpoint: Endpoint, version: EndpointVersion, plan: Plan): MaterializationView => {
  const state = stateOf(version)
  const violations = 'violations' in plan ? plan.violations : []
  return {
    name: `${endpoint.name}_v${version.version}`,
    enabled: state !== undefined,
    ready: state?.inUse !== undefined,
    ...(state ? { status: statusOf(state) } : {}),
    ...(state && isInsight(version.query) ? { date_variables: state.takesDates ?? false } : {}),
    can_materialize: violations.length === 0,
    ...(violations.length > 0 ? { reason: violations[0]!.message, obstacles: violations } : {}),
    ...(state?.inUse
      ? {
          last_materialized_at: state.inUse.builtAt,
          rows: state.inUse.layers.reduce((sum, { rows }) => sum + rows, 0),
          bytes: state.inUse.bytes,
        }
      : {}),
    ...(state?.error ? { error: state.error } : {}),
  }
}

export interface PreviewOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly limits: WorkLimits
  readonly projectId: number
  readonly now: number
}

/** Estimates the table that a plan would build now. Rejects with `ApiError` if that takes too long. */
export const previewOf = async (
  plan: TablePlan,
  { storage, limits, projectId, now }: PreviewOptions,
): Promise<Readonly<Record<string, unknown>>> => {
  const watermark = new Date(now).toISOString().replace('T', ' ').replace('Z', '')
  const estimate = statementsOf(plan, projectId, 'preview').estimate(watermark)
  const { rows } = await storage
    .run(estimate, { ...limits, maxRows: 1, maxBytes: 10_000, projectId }, NO_CALLER)
    .catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error
      throw (
        storageApiError(error) ??
        new ApiError('query_timeout', {
          detail: 'The preview takes too long, because there are too many events to read.',
        })
      )
    })
  const [count, events, bytes] = rows[0]!.map(Number) as [number, number, number]
  return {
    kind: plan.kind,
    rows: count,
    bytes: Math.round(count * (bytes || 0)),
    events,
    expected_speed_up: count > 0 ? Number((events / count).toFixed(1)) : 1,
    stored_query: estimate.fill,
  }
}
