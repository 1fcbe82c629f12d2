import { execFileSync } from 'node:child_process'

/** Returns the files that git reports as changed in a folder; `undefined` if it is not a repository. */
export const changedFiles = (folder: string): string[] | undefined => {
  try {
    const output = execFileSync('git', ['status', '--porcelain', '--', '.'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return output.split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}

/** Throws if uncommitted changes would be mixed with those of the command. */
export const requireCleanTree = (folder: string, ignore: boolean): void => {
  const changed = ignore ? [] : (changedFiles(folder) ?? [])
  if (changed.length > 0)
    throw new Error(
      `Git has uncommitted changes:\n${changed.slice(0, 10).join('\n')}\nCommit them, or pass --ignore-git-changes.`,
    )
}
