/** `trailmark/endpoints`: named endpoints, for a backend, or for a page with a run token. */
export { createEndpoints, EndpointError } from '../backend/endpoints'
export type {
  EndpointFault,
  Endpoints,
  EndpointsOptions,
  EndpointTypes,
  RunOptions,
  RunResult,
} from '../backend/endpoints'
