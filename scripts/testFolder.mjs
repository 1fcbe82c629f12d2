import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
// The tests have up to 0.6 GB of files at a time.
const MIN_FREE_BYTES = 2e9

/** Whether a file system in memory has enough space, and allows programs: the tests install a Postgres server. */
const isMemoryUsable = () => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts.map((line) => line.split(' ')).find(([, path]) => path === MEMORY)?.[3]
    return bavail * bsize >= MIN_FREE_BYTES && options !== undefined && !options.split(',').includes('noexec')
  } catch {
    return false // not Linux
  }
}

/**
 * Creates the folder for all temporary files of a run and returns its path. It is in memory where possible: on ext4, a
 * new file takes longer after many deletions in the previous seconds. An engine spends most of a small insert on new
 * files.
 */
export const createTestFolder = () => {
  const folder = mkdtempSync(join(isMemoryUsable() ? MEMORY : tmpdir(), 'trailmark-test-'))
  chmodSync(folder, 0o1777) // as /tmp: Postgres runs as another user
  return folder
}
