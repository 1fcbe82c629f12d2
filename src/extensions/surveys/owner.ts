import type { SurveyParts, SurveyStorage } from '../../host'

/** Returns a short text that distinguishes ids, and does not contain them. */
const hashOf = (id: string) => {
  let hash = 0
  for (let index = 0; index < id.length; index++) hash = (Math.imul(hash, 31) + id.charCodeAt(index)) | 0
  return hash.toString(36)
}

/**
 * Tracks the owner of the survey marks in the browser, and calls `forget` when the marks are another person's. The
 * owner is stored too: the page on which the person changes may not load surveys, and another tab may have removed the
 * marks already and stored the next person's.
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
