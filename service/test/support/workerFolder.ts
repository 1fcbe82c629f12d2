import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Folder of this process of the test runner while it has a shared service. The process runs many files, each with modules
 * of its own, so what they share is kept in files.
 */
export const WORKER_FOLDER = join(tmpdir(), `trailmark-test-service-${process.pid}`)
