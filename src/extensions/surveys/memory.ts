import { isoTime } from '../../lib/isoTime'
import type { SurveyProgress, SurveyStorage } from '../../host'
import type { Survey } from '../../types'

type Key = Pick<Survey, 'id' | 'current_iteration'>

const LAST_SEEN = 'lastSeenSurveyDate'
const PREFIXES = /^((seen|inProgress|abandoned)Survey_|lastSeenSurveyDate$)/

/** Returns `id`, with the iteration if there is one, joined by `separator`. */
export const withIteration = ({ id, current_iteration }: Key, separator: string): string =>
  current_iteration && current_iteration > 0 ? id + separator + current_iteration : id

export type Memory = ReturnType<typeof createMemory>

/**
 * What this browser knows about surveys: which were seen, which are in progress, and when the latest was shown
 * (docs/reference/protocol.md#15). In memory while nothing may be stored.
 */
export const createMemory = (storage: () => SurveyStorage | undefined) => {
  const unstored = new Map<string, string>()
  const get = (name: string) => storage()?.getItem(name) ?? unstored.get(name) ?? null
  const set = (name: string, value: string) => {
    if (!storage()?.setItem(name, value)) unstored.set(name, value)
  }
  const remove = (name: string) => {
    storage()?.removeItem(name)
    unstored.delete(name)
  }
  const keyOf = (kind: string, survey: Key) => `${kind}Survey_${withIteration(survey, '_')}`

  return {
    isSeen: (survey: Key): boolean => !!get(keyOf('seen', survey)),
    markSeen: (survey: Key): void => set(keyOf('seen', survey), 'true'),
    /** When any survey was last shown, ms since the epoch; undefined: never. */
    lastShownAt: (): number | undefined => Date.parse(get(LAST_SEEN) ?? '') || undefined,
    markShown: (): void => set(LAST_SEEN, isoTime(new Date())),
    progress: (survey: Key): SurveyProgress | undefined => {
      try {
        const stored = JSON.parse(get(keyOf('inProgress', survey))!) as SurveyProgress | null
        return stored?.surveySubmissionId && typeof stored.responses === 'object'
          ? { ...stored, visitedIndices: stored.visitedIndices ?? [] }
          : undefined
      } catch {
        return undefined
      }
    },
    saveProgress: (survey: Key, progress: SurveyProgress): void =>
      set(keyOf('inProgress', survey), JSON.stringify(progress)),
    /** Removes the progress and the abandoned flag of the survey. */
    endProgress: (survey: Key): void => {
      remove(keyOf('inProgress', survey))
      remove(keyOf('abandoned', survey))
    },
    /** Returns false if that was known before. */
    markAbandoned: (survey: Key): boolean => {
      const name = keyOf('abandoned', survey)
      if (get(name)) return false
      set(name, 'true')
      return true
    },
    /** Whether a name in local storage is of a survey. */
    isKey: (name: string | null): boolean => !!name && PREFIXES.test(name),
    forget: (names: readonly string[]): void => {
      unstored.clear()
      names.filter((name) => PREFIXES.test(name)).forEach(remove)
    },
  }
}
