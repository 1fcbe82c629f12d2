import { SCOPES } from '../http/auth.ts'
import type { KeyFile } from '../projects/keyFile.ts'
import { START_KEYS } from '../projects/keys.ts'
import { rememberGivenToken } from '../projects/projects.ts'
import { generateSecret } from '../projects/secret.ts'
import type { Metadata, Project } from '../storage/metadata/metadata.ts'

const withToken = async ({ projects }: Metadata, token: string | undefined): Promise<Project> => {
  const [first] = await projects.all()
  if (!first) return projects.create({ name: 'Default project', token: token ?? generateSecret('tm') })
  if (!token || token === first.token) return first
  await projects.setToken(first.id, token)
  return { ...first, token }
}

/** Returns the first project. Creates it at the first start, and gives it the configured token. Throws `TokenTaken`. */
export const firstProject = async (metadata: Metadata, token: string | undefined): Promise<Project> => {
  const project = await withToken(metadata, token)
  await rememberGivenToken(metadata, project.id, token)
  return project
}

/**
 * Ensures that there is a key with all scopes. Returns its file, unless it is from the environment or another process.
 */
export const firstKey = async (
  { keys, isShared }: Metadata,
  projectId: number,
  keyFile: KeyFile,
  given: string | undefined,
): Promise<string | undefined> => {
  if (given) {
    await keys.put({ projectId, label: START_KEYS.given, secret: given, scopes: SCOPES })
    return undefined
  }
  // A key that was removed from the environment is no longer valid.
  await keys.remove(START_KEYS.given)
  const kept = keyFile.read()
  const isValid = kept !== '' && (await keys.bySecret(kept)) !== undefined
  // Another process created the key and may have its file.
  if (isShared && !isValid && (await keys.list()).some(({ label }) => label === START_KEYS.generated)) return undefined
  const secret = isValid ? kept : generateSecret('tmk')
  if (secret !== kept) keyFile.write(secret)
  // At each start, because this release may have more scopes than the one that created the key.
  await keys.put({ projectId, label: START_KEYS.generated, secret, scopes: SCOPES })
  return keyFile.path
}
