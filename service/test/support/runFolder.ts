import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'TEST_RUN_FOLDER'

/** Returns the folder of this run of the test runner, which all its processes share. */
export const runFolder = (): string => process.env[VARIABLE]!

/** Creates the folder before the first test file. */
export const createRunFolder = (): void => {
  process.env[VARIABLE] = mkdtempSync(join(tmpdir(), 'trailmark-test-run-'))
}

/** Removes the folder after the last test file. */
export const removeRunFolder = (): void => rmSync(runFolder(), { recursive: true, force: true })
