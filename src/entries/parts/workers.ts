import { openWorkerStorage } from '../../browser/workerStorage'
import type { Feature } from '../../client/feature'

export const workers: Feature = { name: 'workers', openWorkerStorage }
