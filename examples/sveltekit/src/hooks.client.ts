import { analytics } from 'trailmark'
import { captureErrors } from 'trailmark/svelte'

export const handleError = captureErrors(analytics)
