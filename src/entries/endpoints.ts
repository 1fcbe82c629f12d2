/** `trailmark/endpoints`: named endpoints, for a backend. */
export { createEndpoints, EndpointError } from '../backend/endpoints'
export type { EndpointFault, Endpoints, EndpointsOptions, EndpointTypes, RunOptions, RunResult } from '../backend/endpoints'
