import { expect, expectAccessible, test } from '../../support/console'

const at = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

test('a survey is built, launched, answered, read and stopped', async ({ view }) => {
  const { page, service } = view
  await view.open('surveys')
  await page.getByRole('link', { name: 'Create the first survey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Recommendation')
  const question = (number: number) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: `Question ${number}` }) })
  const [first, second, third] = [question(1), question(2), question(3)]
  await first.getByLabel('Question', { exact: true }).fill('How likely are you to recommend us?')
  await first.getByLabel('Answer', { exact: true }).selectOption('Rating')
  await page.getByRole('button', { name: 'Add a question' }).click()
  await second.getByLabel('Question', { exact: true }).fill('What should we do better?')
  await page.getByRole('button', { name: 'Add a question' }).click()
  await third.getByLabel('Question', { exact: true }).fill('May we write to you?')
  await third.getByLabel('Answer', { exact: true }).selectOption('One of several')
  await third.getByLabel('Choices', { exact: true }).fill('Yes\nNo\nLater')
  await first.getByLabel('Then').selectOption('It depends on the answer')
  await first.getByLabel('After “9–10”').selectOption('Question 3: May we write to you?')
  // The branch still leads to the same question.
  await page.getByRole('button', { name: 'Move question 3 up' }).click()
  await expect(first.getByLabel('After “9–10”')).toHaveValue('1')
  await page.getByRole('button', { name: 'Move question 2 down' }).click()
  await page.getByLabel('URL, or a part of it').fill('/pricing')
  await expectAccessible(page)

  // An error stands beside its field, and what was written stays, even after leaving.
  await page.getByText('Colors', { exact: true }).click()
  await page.getByLabel('Background', { exact: true }).fill('red;} * {')
  await page.getByRole('button', { name: 'Save as a draft' }).click()
  await expect(page.getByLabel('Background', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await page.reload()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Recommendation')
  await page.getByText('Colors', { exact: true }).click()
  await page.getByLabel('Background', { exact: true }).fill('#fff8e7')
  await page.getByRole('button', { name: 'Save as a draft' }).click()
  await expect(page.getByRole('heading', { name: 'Recommendation', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Launch' }).click()
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()

  const { surveys } = (await (await fetch(`${service.url}/api/surveys/?token=${service.token}`)).json()) as {
    surveys: { id: string; questions: { id: string; question: string; branching?: object }[] }[]
  }
  const [survey] = surveys
  expect(survey).toMatchObject({
    conditions: { url: '/pricing' },
    appearance: { backgroundColor: '#fff8e7' },
    questions: [
      { branching: { responseValues: { promoters: 2 } } },
      { type: 'open' },
      { choices: ['Yes', 'No', 'Later'] },
    ],
  })
  const ids = survey!.questions.map(({ id }) => id)
  const own = (event: string, person: string, seconds: number, properties: object = {}) => ({
    event,
    timestamp: at(seconds),
    properties: { distinct_id: person, $survey_id: survey!.id, ...properties },
  })
  const answers = (...values: readonly unknown[]) =>
    Object.fromEntries(values.map((value, index) => [`$survey_response_${ids[index]}`, value]))
  await view.send([
    ...['ann', 'bob', 'cid', 'dora'].map((person) => own('survey shown', person, 60)),
    own('survey sent', 'ann', 50, answers(10, null, 'Yes')),
    own('survey sent', 'bob', 40, answers(3, '<b>Fewer</b> emails', 'No')),
    own('survey sent', 'cid', 30, { ...answers(8, 'Nothing'), $survey_completed: false }),
    own('survey dismissed', 'dora', 20),
  ])
  await view.open(`surveys/${survey!.id}`)
  const tile = (label: string) => page.locator('.tile').filter({ hasText: label })
  await expect(tile('Shown to')).toContainText('4')
  await expect(tile('Response rate')).toContainText('50%')
  await expect(tile('Not finished by')).toContainText('1')
  await expect(page.getByText('NPS 0')).toBeVisible()
  await expect(page.getByRole('row', { name: 'Later' })).toContainText('0%')
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Read the answers' }).click()
  await expect(page.getByText('<b>Fewer</b> emails')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'cid' })).toContainText('Not finished')
  await expect(page.getByText('ann', { exact: true })).toBeHidden()
  await expectAccessible(page)
  await page.getByLabel('Question').selectOption('All questions')
  await page.getByRole('link', { name: 'ann' }).click()
  await expect(page).toHaveURL(/\/people\/ann/)
  await page.goBack()

  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the survey' }).click()
  await expect(page.getByText('No surveys yet')).toBeVisible()
})
