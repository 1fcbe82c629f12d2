import type { SurveyDraft } from './surveyApi.ts'

/** Props of the parts of the form. */
export interface DraftProps {
  readonly draft: SurveyDraft
  /** Returns the message about the field at a path. */
  readonly errorOf: (path: string, options?: { isWithin?: boolean }) => string | undefined
  readonly onChange: (changes: Partial<SurveyDraft>) => void
}
