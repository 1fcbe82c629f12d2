import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Folder of this process of the test runner while it has a shared service. The process runs many files, each with its
 * own modules, so shared state is kept in files.
 */
export const WORKER_FOLDER = join(tmpdir(), `trailmark-test-service-${process.pid}`)
