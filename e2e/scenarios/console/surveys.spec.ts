import { expect, expectAccessible, test } from '../../support/console'

const at = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

test('a survey is created, launched, answered, evaluated and stopped', async ({ view }) => {
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
  await first.getByLabel('Then').selectOption('Depends on the answer')
  await first.getByLabel('After “9–10”').selectOption('Question 3: May we write to you?')
  // The branch still leads to the same question.
  await page.getByRole('button', { name: 'Move question 3 up' }).click()
  await expect(first.getByLabel('After “9–10”')).toHaveValue('1')
  await page.getByRole('button', { name: 'Move question 2 down' }).click()
  await page.getByLabel('URL, or a part of it').fill('/pricing')
  await expectAccessible(page)

  // An error is shown next to its field, and the input is kept, even after leaving the page.
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
    own('survey sent', 'bob', 40, answers(3, `<b>Fewer</b> emails ${'x'.repeat(5_000)} and calls`, 'No')),
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
  // A list has the beginning of a long answer.
  const long = page.getByText('<b>Fewer</b> emails')
  await expect(long).not.toContainText('and calls')
  await page.getByRole('button', { name: 'Load the whole answers' }).click()
  await page.getByRole('button', { name: 'Show all 5,030 characters' }).click()
  await expect(long).toContainText('and calls')
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

test('the builder previews the draft as visitors will see it, and saves translations, triggers, flags and lengths', async ({
  view,
}) => {
  const { page, service } = view
  const flag = await service.api('POST', '/feature_flags', {
    key: 'checkout',
    filters: {
      groups: [{ rollout_percentage: 100 }],
      multivariate: { variants: [{ key: 'new', rollout_percentage: 100 }] },
    },
  })
  expect(flag.status, JSON.stringify(flag.body)).toBe(201)
  await view.open('surveys/new')
  const preview = page.frameLocator('iframe[title="Preview of the survey"]')
  const question = preview.locator('.survey-question')
  const part = page.getByLabel('Part of the survey')
  await expect(page.getByText('The survey appears here once its questions are complete.')).toBeHidden()
  await page.getByLabel('Name', { exact: true }).fill('Checkout')
  await page.getByLabel('Question', { exact: true }).fill('What stopped you?')
  await page.getByLabel('At least this many characters').fill('20')
  await page.getByLabel('At most this many characters').fill('10')
  await expect(question).toHaveText('What stopped you?')
  await expect(preview.locator('.validation-hint')).toHaveText('Enter 20-10 characters')

  await page.getByRole('button', { name: 'Add a question' }).click()
  const second = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Question 2' }) })
  await second.getByLabel('Answer', { exact: true }).selectOption('One of several')
  await second.getByLabel('Question', { exact: true }).fill('Which one?')
  // A pasted list with CRLF line breaks.
  await second.getByLabel('Choices', { exact: true }).fill('Price\r\n\r\n Delivery \r\nOther')
  await page.getByLabel('Introduce the survey before its first question').check()
  await page.getByLabel('Introduction', { exact: true }).fill('Two questions')
  await expect(preview.locator('.intro-screen-header')).toHaveText('Two questions')
  await part.selectOption('Question 2: Which one?')
  await expect(preview.locator('.response-choice')).toHaveText(['Price', 'Delivery', 'Other'])
  await part.selectOption('Thank-you message')
  await expect(preview.locator('.thank-you-message-header')).toHaveText('Thank you for your feedback!')

  await page.getByLabel('Add a language').fill('German')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Enter a language tag')).toBeVisible()
  await page.getByLabel('Add a language').fill('de')
  await page.getByLabel('Add a language').press('Enter')
  const german = page.getByRole('group').filter({ has: page.getByText('German', { exact: true }) })
  await german.getByText('German', { exact: true }).click()
  const [firstGerman, secondGerman] = [1, 2].map((number) => german.getByRole('group', { name: `Question ${number}` }))
  await firstGerman!.getByLabel('Question', { exact: true }).fill('Was hielt Sie ab?')
  await secondGerman!.getByLabel('Choices').fill('Preis\nLieferung')
  await page.getByLabel('Language of the preview').selectOption('German')
  await part.selectOption('Question 1: What stopped you?')
  await expect(question).toHaveText('Was hielt Sie ab?')
  const box = preview.locator('.survey-form')
  const colorOf = () => box.evaluate((form) => getComputedStyle(form).backgroundColor)
  await page.getByRole('radio', { name: 'Dark' }).check()
  await expect.poll(colorOf).toBe('rgb(22, 24, 29)')
  await page.getByRole('radio', { name: 'Light' }).check()
  await expect.poll(colorOf).toBe('rgb(255, 255, 255)')
  await page.getByRole('radio', { name: 'Phone' }).check()
  expect((await page.locator('iframe').boundingBox())!.width).toBeLessThan(400)
  // Answering in the preview shows the next question, as on a site, and closing the survey restarts it.
  await page.getByLabel('At least this many characters').fill('3')
  await expect(preview.locator('.validation-hint')).toHaveText('Enter 3-10 characters')
  await preview.locator('textarea').fill('Nothing')
  await preview.locator('.form-submit').click()
  await expect(question).toHaveText('Which one?')
  await preview.locator('.form-cancel').click()
  await expect(question).toHaveText('Was hielt Sie ab?')

  const after = page.getByRole('group', { name: 'After an event', exact: true })
  await after.getByRole('button', { name: 'Add an event' }).click()
  await after.getByLabel('Event', { exact: true }).fill('cart left')
  await after.getByRole('button', { name: 'Only with a property' }).click()
  await after.getByLabel('Property', { exact: true }).fill('total')
  await after.getByLabel('Comparison').selectOption('is greater than')
  await after.getByLabel('Values').fill('many')
  const notAfter = page.getByRole('group', { name: 'Not after an event' })
  await notAfter.getByRole('button', { name: 'Add an event' }).click()
  await notAfter.getByLabel('Event', { exact: true }).fill('bought')
  await page.getByRole('button', { name: 'Add an action' }).click()
  const action = page.getByRole('group', { name: 'After an action' })
  await action.getByLabel('Name of the action').fill('Opened the help')
  await action.getByLabel('The URL').selectOption('matches the regular expression')
  await action.getByLabel('URL, or a part of it').fill('.*.*.*help')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  const people = page.getByRole('group', { name: 'Condition 1' })
  await people.getByLabel('Condition', { exact: true }).selectOption('matches the regular expression')
  await people.getByLabel('Value', { exact: true }).fill('(a')
  await people.getByLabel('Property', { exact: true }).fill('email')
  await people.getByLabel('Roll-out to those who match', { exact: true }).fill('50')
  await page.getByLabel('Only where this flag is on').selectOption('checkout')
  await page.getByLabel('And has this variant').selectOption('new')
  await expectAccessible(page)

  // Each mistake is shown next to its field, one after the other.
  const save = async (message: string) => {
    await page.getByRole('button', { name: 'Save as a draft' }).click()
    await expect(page.locator('.field-error').filter({ hasText: message })).toBeVisible()
  }
  await secondGerman!.getByLabel('Question', { exact: true }).fill('Welches?')
  await save('must have as many choices as the question, 3, got 2')
  await secondGerman!.getByLabel('Choices').fill('Preis\nLieferung\nAnderes')
  await save('must be numbers for the operator gt')
  await after.getByLabel('Values').fill('100')
  await save('may take too long on a string of 1 kB')
  await action.getByLabel('URL, or a part of it').fill('/help$')
  await save('takes a regular expression')
  await expect(people.locator('.field-error')).toBeVisible()
  await people.getByLabel('Value', { exact: true }).fill('@example')
  await page.getByRole('button', { name: 'Save as a draft' }).click()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  const { body } = await service.api('GET', '/surveys')
  expect((body as unknown as { results: object[] }).results).toEqual([
    expect.objectContaining({
      linked_flag_key: 'checkout',
      targeting_flag_filters: {
        groups: [
          {
            properties: [{ type: 'person', key: 'email', operator: 'regex', value: '@example' }],
            rollout_percentage: 50,
            variant: null,
          },
        ],
      },
      translations: { de: {} },
      questions: [
        expect.objectContaining({
          validation: [
            { type: 'max_length', value: 10 },
            { type: 'min_length', value: 3 },
          ],
          translations: { de: { question: 'Was hielt Sie ab?' } },
        }),
        expect.objectContaining({
          choices: ['Price', 'Delivery', 'Other'],
          translations: { de: { question: 'Welches?', choices: ['Preis', 'Lieferung', 'Anderes'] } },
        }),
      ],
      appearance: expect.objectContaining({ displayIntroScreen: true, introScreenHeader: 'Two questions' }),
      conditions: {
        linkedFlagVariant: 'new',
        events: {
          values: [{ name: 'cart left', propertyFilters: { total: { operator: 'gt', values: ['100'] } } }],
        },
        cancelEvents: { values: [{ name: 'bought' }] },
        actions: {
          values: [
            expect.objectContaining({ name: 'Opened the help', steps: [{ url: '/help$', url_matching: 'regex' }] }),
          ],
        },
      },
    }),
  ])
  // The flag of the conditions is the survey's own.
  await view.open('flags')
  await expect(page.getByRole('link', { name: 'checkout', exact: true })).toBeVisible()
  await expect(page.getByText('survey-targeting-')).toHaveCount(0)
})
