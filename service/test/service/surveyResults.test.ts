import { api, capture, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

const QUESTIONS = [
  { id: 'nps', type: 'rating', question: 'How likely?', display: 'number', scale: 10 },
  { id: 'mood', type: 'rating', question: 'How was it?', display: 'emoji', scale: 5 },
  {
    id: 'reason',
    type: 'single_choice',
    question: 'Why?',
    choices: ['Price', 'Speed', 'Other'],
    hasOpenChoice: true,
    // "Speed" is another choice in this language.
    translations: { fr: { choices: ['Speed', 'Vitesse', 'Autre'] } },
  },
  { id: 'used', type: 'multiple_choice', question: 'What?', choices: ['Cart', 'Search', 'Chat'], optional: true },
  { id: 'text', type: 'open', question: 'What else?' },
  { id: 'more', type: 'link', question: 'Read on', link: 'https://example.com' },
]

interface Submission {
  readonly id: string
  readonly person: string
  readonly isCompleted: boolean
  readonly iteration: number
  readonly language: string
  /** Number, index of a choice, indexes, text or null by question. An index beyond the choices: an open answer. */
  readonly answers: readonly (number | readonly number[] | string | null)[]
}

/** A small generator, so that a failure can be repeated. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
const random = createRandom(7)

const submissions: readonly Submission[] = Array.from({ length: 120 }, (_, index) => {
  const reached = random(QUESTIONS.length + 4)
  const isCompleted = reached >= QUESTIONS.length
  const answers = [
    random(11),
    1 + random(5),
    random(4),
    [0, 1, 2].filter(() => random(2)),
    random(3) ? `2026-01-0${1 + random(9)}` : null,
    'link clicked',
  ]
  return {
    id: `submission ${index}`,
    person: `person ${random(60)}`,
    isCompleted,
    iteration: 1 + random(2),
    language: ['', 'fr', 'FR'][random(3)]!,
    answers: answers.map((answer, at) => (isCompleted || at <= reached ? answer : null)),
  }
})

const textOf = ({ language }: Submission, number: number, choice: number): string => {
  const { choices, translations } = QUESTIONS[number] as {
    choices: string[]
    translations?: { fr: { choices: string[] } }
  }
  return ((language && translations?.fr.choices) || choices)[choice] ?? `my own ${choice}`
}

const eventOf = (
  survey: string,
  submission: Submission,
  timestamp: number,
  answers = submission.answers,
  isLast = true,
) =>
  event(
    'survey sent',
    { timestamp: new Date(timestamp).toISOString() },
    {
      distinct_id: submission.person,
      $survey_id: survey,
      $survey_submission_id: submission.id,
      $survey_completed: isLast && submission.isCompleted,
      $survey_iteration: submission.iteration,
      ...(submission.language ? { $survey_language: submission.language } : {}),
      ...Object.fromEntries(
        answers.map((answer, number) => [
          // A server may send the index of the question.
          submission.id.endsWith('7')
            ? `$survey_response${number ? `_${number}` : ''}`
            : `$survey_response_${QUESTIONS[number]!.id}`,
          number === 2 && answer !== null
            ? textOf(submission, number, Number(answer))
            : Array.isArray(answer)
              ? answer.map((each) => textOf(submission, number, each))
              : answer,
        ]),
      ),
    },
  )

/** The results by plain loops over the submissions. */
const expected = (of: readonly Submission[]) => {
  const completed = of.filter(({ isCompleted }) => isCompleted)
  const partial = of.filter(({ isCompleted }) => !isCompleted)
  const isAnswered = (answer: unknown) => answer !== null && !(Array.isArray(answer) && !answer.length)
  const at = (list: readonly Submission[], number: number) =>
    list.map(({ answers }) => answers[number]!).filter(isAnswered)
  const people = (list: readonly Submission[]) => new Set(list.map(({ person }) => person)).size
  const near = (value: number) => expect.closeTo(value, 9)
  const choices = (number: number) => {
    const all = at(completed, number)
    const { choices: labels } = QUESTIONS[number] as { choices: string[] }
    const others = all.filter((answer) => [answer].flat().some((each) => Number(each) >= labels.length)).length
    return [
      ...labels.map((label, index) => {
        const count = all.filter((answer) => [answer].flat().includes(index)).length
        return { index, label, count, share: near(count / all.length) }
      }),
      ...(others ? [{ index: null, label: 'Other', count: others, share: near(others / all.length) }] : []),
    ]
  }
  const ratings = (number: number, values: readonly number[]) => {
    const all = at(completed, number) as number[]
    return {
      average: near(all.reduce((sum, value) => sum + value, 0) / all.length),
      ratings: values.map((value) => {
        const count = all.filter((each) => each === value).length
        return { value, count, share: near(count / all.length) }
      }),
    }
  }
  const nps = at(completed, 0) as number[]
  const [promoters, detractors] = [nps.filter((value) => value >= 9).length, nps.filter((value) => value <= 6).length]
  const mood = at(completed, 1) as number[]
  const satisfied = mood.filter((value) => value >= 4).length
  const details = [
    {
      ...ratings(0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
      nps: {
        score: near((100 * (promoters - detractors)) / nps.length),
        promoters,
        passives: nps.length - promoters - detractors,
        detractors,
      },
    },
    { ...ratings(1, [1, 2, 3, 4, 5]), csat: { score: near(satisfied / mood.length), satisfied } },
    { choices: choices(2) },
    { choices: choices(3) },
    {},
    {},
  ]
  return {
    completed: { events: completed.length, people: people(completed) },
    partial: { events: partial.length, people: people(partial) },
    questions: QUESTIONS.map(({ id, type, question }, number) => ({
      id,
      type,
      question,
      answers: at(completed, number).length,
      skipped: completed.length - at(completed, number).length,
      partial_answers: at(partial, number).length,
      left_after: partial.filter(({ answers }) => answers.findLastIndex(isAnswered) === number).length,
      ...details[number],
    })),
  }
}

test('survey results equal those of plain loops over the submissions', async () => {
  const { body: survey } = await api(service, 'POST', '/surveys', {
    name: 'Results',
    type: 'popover',
    questions: QUESTIONS,
    enable_partial_responses: true,
    start_date: '2026-01-01T00:00:00Z',
  })
  const base = Date.now() - 3_600_000
  const own = (name: string, person: string, properties = {}) =>
    event(name, {}, { distinct_id: person, $survey_id: survey.id, $survey_iteration: 1, ...properties })
  const answered = new Set(submissions.map(({ person }) => person))
  await capture(
    service,
    // Partial answers first, stored in any order: the latest event counts.
    ...submissions.map((each, index) => eventOf(survey.id, each, base + 2_000 + index)),
    ...submissions.map((each, index) => eventOf(survey.id, each, base + index, each.answers.slice(0, 2), false)),
    ...Array.from({ length: 80 }, (_, index) => own('survey shown', `person ${index}`)),
    own('survey shown', 'person 0'),
    own('survey dismissed', [...answered][0]!),
    own('survey dismissed', 'nobody'),
    own('survey dismissed', 'nobody'),
    own('survey dismissed', 'partly', { $survey_partially_completed: true }),
    eventOf('00000000-0000-4000-8000-000000000000', submissions[0]!, base),
  )
  // Before the time zone's midnight and after it.
  await api(service, 'PATCH', '', { timezone: 'Pacific/Auckland' })
  const { body: other } = await api(service, 'POST', '/surveys', {
    name: 'Days',
    type: 'popover',
    questions: QUESTIONS,
  })
  const at = (name: string, timestamp: string) =>
    event(name, { timestamp }, { distinct_id: 'person', $survey_id: other.id })
  await capture(
    service,
    at('survey shown', '2026-03-01T10:59:59Z'),
    at('survey shown', '2026-03-01T11:00:00Z'),
    at('survey sent', '2026-03-03T12:00:00Z'),
  )
  expect((await api(service, 'GET', `/surveys/${other.id}/results`)).body.days).toEqual([
    { day: '2026-03-01', shown: 1, completed: 0 },
    { day: '2026-03-02', shown: 1, completed: 0 },
    { day: '2026-03-03', shown: 0, completed: 0 },
    { day: '2026-03-04', shown: 0, completed: 1 },
  ])
  const results = async (query = ''): Promise<any> => {
    const { status, body } = await api(service, 'GET', `/surveys/${survey.id}/results${query}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }
  const all = await results()
  const wanted = expected(submissions)
  expect(all).toMatchObject(wanted)
  expect(all).toMatchObject({
    shown: { events: 81, people: 80 },
    dismissed: { events: 2, people: 1 },
    response_rate: { events: wanted.completed.events / 81, people: wanted.completed.people / 80 },
  })
  expect(all.iterations.map(({ iteration }: { iteration: number }) => iteration)).toEqual([1, 2])
  expect(all.languages.reduce((sum: number, { events }: { events: number }) => sum + events, 0)).toBe(
    submissions.length,
  )
  expect(await results('?iteration=2')).toMatchObject(expected(submissions.filter(({ iteration }) => iteration === 2)))
  expect(await results('?language=fr')).toMatchObject(expected(submissions.filter(({ language }) => language === 'fr')))
  expect(await results('?language=default')).toMatchObject(expected(submissions.filter(({ language }) => !language)))

  const pages: { submission_id: string }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: { results: typeof pages; next: string | null } } = await api(
      service,
      'GET',
      `/surveys/${survey.id}/responses?question=text&limit=17${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    pages.push(...body.results)
    cursor = body.next
  }
  const texts = submissions.filter(({ answers }) => answers[4] !== null).reverse()
  expect(pages.map(({ submission_id: id }) => id)).toEqual(texts.map(({ id }) => id))
  expect(pages[0]).toMatchObject({
    distinct_id: texts[0]!.person,
    is_verified: true,
    is_completed: texts[0]!.isCompleted,
    iteration: texts[0]!.iteration,
    answers: expect.arrayContaining([{ question_id: 'text', answer: texts[0]!.answers[4] }]),
  })

  const { body: key } = await request(`${service.url}/api/personal_api_keys/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'only surveys', scopes: ['survey:read'] }),
  })
  const reply = await request(`${service.url}/api/projects/${service.projectId}/surveys/${survey.id}/responses`, {
    headers: { authorization: `Bearer ${key.value}` },
  })
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect(await api(service, 'GET', `/surveys/${survey.id}/responses?question=x`)).toMatchObject({ status: 400 })
  expect(await api(service, 'GET', `/surveys/${survey.id}/responses?cursor=x`)).toMatchObject({ status: 400 })
})

test('a list has the beginning of long answers, a submission alone has them whole', async () => {
  const { body: survey } = await api(service, 'POST', '/surveys', {
    name: 'Long',
    type: 'popover',
    questions: [{ id: 'text', type: 'open', question: 'Why?' }],
  })
  const answer = `${'x'.repeat(7_000)} the end`
  const sent = (id: string, text: string) =>
    event(
      'survey sent',
      {},
      { distinct_id: 'person', $survey_id: survey.id, $survey_submission_id: id, $survey_response_text: text },
    )
  await capture(service, sent('long', answer), sent('short', 'Because'))
  const list = async (query = '') => {
    const { body } = await api(service, 'GET', `/surveys/${survey.id}/responses${query}`)
    return body.results as { submission_id: string; is_truncated: boolean; answers: { answer: string }[] }[]
  }
  const cut = (await list()).find(({ submission_id: id }) => id === 'long')!
  expect(cut.is_truncated).toBe(true)
  expect(answer).toContain(cut.answers[0]!.answer.replace(/…$/, ''))
  expect(await list('?submission=long')).toMatchObject([
    { submission_id: 'long', is_truncated: false, answers: [{ answer }] },
  ])
  expect(await list('?submission=none')).toEqual([])
})
