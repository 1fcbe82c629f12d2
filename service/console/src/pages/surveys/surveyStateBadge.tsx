import { STATES, type SurveyState } from './surveyApi.ts'

/** Whether a survey is shown to visitors, as a badge. */
export const SurveyStateBadge = ({ state }: { readonly state: SurveyState }) => (
  <span class={STATES[state].style}>{STATES[state].label}</span>
)
