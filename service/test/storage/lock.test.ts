import { rmSync } from 'node:fs'
import { DataDirInUse, lockDataDir } from '../../src/storage/lock.ts'
import { temporaryFolder } from '../support/startService.ts'

test('a data folder has one owner at a time', async () => {
  const folder = temporaryFolder()
  const unlock = await lockDataDir(folder)
  await expect(lockDataDir(folder)).rejects.toBeInstanceOf(DataDirInUse)
  unlock()
  const again = await lockDataDir(folder)
  again()
  rmSync(folder, { recursive: true })
})
