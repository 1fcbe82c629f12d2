import { NEW_SURVEY, toDraft, toInput } from '../src/pages/surveys/questions.ts'
import type { Survey } from '../src/pages/surveys/surveyApi.ts'

const filters = {
  groups: [
    {
      properties: [{ type: 'person' as const, key: 'plan', operator: 'exact', value: ['pro'] }],
      rollout_percentage: 50,
      variant: null,
    },
  ],
}
const draft = toDraft({ ...NEW_SURVEY, id: '1', targeting_flag_filters: filters } as Survey)

test('the survey form stores the conditions on people that it was loaded with', () => {
  expect(draft.targeting).toEqual([
    { properties: [{ type: 'person', key: 'plan', operator: 'exact', values: ['pro'] }], percent: '50', variant: '' },
  ])
  expect(toInput(draft)).toMatchObject({ targeting_flag_filters: filters })
  expect(toInput(draft)).not.toHaveProperty('targeting')
})

test.each([
  ['a survey without conditions', { ...draft, targeting: [] }],
  ['a hosted survey', { ...draft, type: 'external_survey' as const }],
  ['a new survey', NEW_SURVEY],
])('%s asks everyone', (_, each) => expect(toInput(each).targeting_flag_filters).toBeNull())
