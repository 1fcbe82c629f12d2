import { setSearch } from '../../router.ts'
import type { Endpoint } from './endpointApi.ts'

/** Warns that the endpoint is inactive or that an old version is shown. */
export const EndpointBanners = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const isActive = endpoint.endpoint_is_active ?? endpoint.is_active
  const isOld = endpoint.version !== undefined && endpoint.version !== endpoint.current_version
  return (
    <>
      {!isActive && (
        <div class="notice warning" role="status">
          <p>This endpoint is deactivated. Runs are rejected until you activate it.</p>
        </div>
      )}
      {isOld && (
        <div class="notice warning" role="status">
          <p>
            You see version {endpoint.version}. Programs run version {endpoint.current_version} unless they name
            another.
          </p>
          <div class="row">
            <button type="button" class="button" onClick={() => setSearch({ version: undefined })}>
              Show version {endpoint.current_version}
            </button>
          </div>
        </div>
      )}
    </>
  )
}
