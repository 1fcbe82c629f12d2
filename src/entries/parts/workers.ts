import { openWorkerStorage } from '../../browser/workerStorage'
import type { Feature } from '../../client/feature'
import * as database from '../../extensions/database/database'

export const workers: Feature = { name: 'workers', openWorkerStorage, contains: { database } }
