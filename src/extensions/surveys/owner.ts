import type { SurveyParts, SurveyStorage } from '../../host'

/** Returns a short text that distinguishes ids, and does not contain them. */
const hashOf = (id: string) => {
  let hash = 0
  for (let index = 0; index < id.length; index++) hash = (Math.imul(hash, 31) + id.charCodeAt(index)) | 0
  return hash.toString(36)
}

/**
 * Follows whose marks of surveys are in the browser, and calls `forget` when they are another person's. The owner is stored
 * too, because the page on which the person changes may not load surveys, and because another tab may have removed the
 * marks already and stored those of the next person.
 */
export const createOwner = (
  { token, store, distinctId }: Pick<SurveyParts, 'token' | 'store' | 'distinctId'>,
  storage: () => SurveyStorage | undefined,
  forget: () => void,
) => {
  const key = `surveyOwner_${token}`
  const align = (isIdentification: boolean) => {
    const reset = `${store.get<string>('$last_posthog_reset') ?? ''} `
    const next = reset + (store.get('$user_state') === 'identified' ? hashOf(distinctId()) : '')
    const known = storage()?.getItem(key) ?? undefined
    if (known === next) return
    // An anonymous visitor who was identified is the same person.
    if (known !== undefined && !(isIdentification && known === reset)) forget()
    storage()?.setItem(key, next)
  }
  return {
    /** Called at the start, and when the visitor was identified. */
    follow: (): void => align(true),
    /** Called when another person has replaced the visitor. */
    change: (): void => align(false),
  }
}
