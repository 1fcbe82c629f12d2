import type { ResponseOf } from '../api/inProject.ts'

/** A rejected event as the API lists it. */
export type RejectedEvent = ResponseOf<'/api/projects/{projectId}/refused_events', 'get'>['results'][number]
export type RejectionCode = RejectedEvent['code']

/** Remedies for rejected events, by reason. */
export const REMEDIES: Readonly<Record<RejectionCode, string>> = {
  event_not_in_plan: 'Correct the name of the event, or add it to the plan of the project.',
  properties_not_in_plan: 'Correct the properties that $plan_violations of the sample names, or change the plan.',
  not_an_object: 'Send each event as a JSON object. Check that the batch is not encoded twice.',
  missing_event_name: 'Pass the name of the event as a non-empty string.',
  event_name_too_long: 'Use a short, fixed name, and put what varies into properties.',
  missing_distinct_id: 'Send a distinct_id with each event: the id of the person or the anonymous visitor.',
  distinct_id_too_long: 'Use the id of the person, not a whole token or URL.',
  invalid_uuid: 'Send a UUID as “uuid”, or omit it.',
  invalid_properties: 'Send “properties” as a JSON object.',
  invalid_timestamp: 'Send “timestamp” in ISO 8601, such as 2026-11-22T08:30:00Z, and check the clock of the sender.',
  properties_too_deep: 'Flatten nested properties before they are captured.',
  event_too_large: 'Capture ids instead of whole documents, or split the event.',
  too_many_values: 'Capture fewer properties, or shorter lists, in one event.',
  too_many_changes: 'Set fewer properties of persons or groups in one event.',
  changes_too_large: 'Set short values, and send long texts as properties of the event.',
  too_many_answers: 'Wait a minute. Check whether a script sends answers to the survey.',
  invalid_heatmap: 'Send only heatmaps that an SDK has captured.',
  erased: 'Do not send events again that were deleted. Later events are stored.',
  unknown_token: 'Use the current token of this project. See Settings.',
  unstorable: 'Check the sample for values that are not strings, numbers or JSON. If there are none, report a bug.',
}
