import { createRoute } from 'trailmark/next/server'
import { host } from '../../../lib/trailmark'

// With `api_host: '/ingest'`, browsers send everything to the site's own domain.
export const { GET, POST, OPTIONS } = createRoute({ host, prefix: '/ingest' })
