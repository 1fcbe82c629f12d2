import { captureRequestErrors } from 'trailmark/next/server'
import { host, token } from './lib/trailmark'

export const onRequestError = captureRequestErrors({ token, host })
